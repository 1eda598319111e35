-- names: the tags by which limits and states name their algorithm, and the operations
-- STATE_ERROR  what a request fails with when a key holds something else; defined before this file
local LOG, COUNTER, FIXED, BUCKET = 16, 2, 3, 4
local ACQUIRE, REFUND, CHARGE, INSPECT, RESET = 1, 2, 3, 4, 5
local STEPS = 20 -- in which an inspection says when the permits of a log leave it
local MAX_USED = 2000000000 -- permits that can be charged to a key under one limit
local EXACT = 9007199254740992 -- doubles below it are exact
