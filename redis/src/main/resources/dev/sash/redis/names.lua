-- names: the tags by which limits and states name their algorithm
-- STATE_ERROR  what a script fails with when a key holds something else; defined before this file
local LOG, COUNTER, FIXED, BUCKET = 16, 2, 3, 4
local MAX_USED = 2000000000 -- permits that can be charged to a key under one limit

-- Fails unless a value has the length that the state of its algorithm must have.
local function check_state(is_ours)
  if not is_ours then
    error(STATE_ERROR, 0)
  end
end
