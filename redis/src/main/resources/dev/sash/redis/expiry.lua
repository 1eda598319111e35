-- expiry: when a state expires that is charged until ends, in milliseconds; and whether that is the old expiry
-- Moving an expiry costs about as much as the rest: that is done only when it is too early, or later than need be by
-- more than the time that idle state may linger.
local function expiry(old, ends, window)
  local least = (ends - ends % 1000) / 1000 + 2
  local latest = least + linger_millis + math.floor(window * linger_share)
  if least <= old and old <= latest then
    return old, true
  end
  return latest, false
end
