-- names: how limits and states name their algorithm, and what is said of a state that names another
local LOG, COUNTER, FIXED, BUCKET = 16, 2, 3, 4
local NOT_OURS = 'sash: the key holds something else than the state of this limit'
