-- names: how limits and states name their algorithm, and what is said of a state that names another
local COUNTER, FIXED, BUCKET = 2, 3, 4
local LOG, WEIGHTED_LOG, EMPTY_LOG = 16, 19, 20
local NOT_OURS = 'sash: the key holds something else than the state of this limit'
