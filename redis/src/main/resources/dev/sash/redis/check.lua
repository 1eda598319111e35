-- check: fails unless a value is what the state of its algorithm must be
local function check(is_ours)
  if not is_ours then
    error(STATE_ERROR, 0)
  end
end
