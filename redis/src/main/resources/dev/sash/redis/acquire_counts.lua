-- acquire_counts: the usual request in a straight line: permits of one limit whose state is two numbers, see counts
-- KEYS     1 the state
-- ARGV     1 five doubles: permits | tag of the algorithm | capacity | window in microseconds | refill
--          2 none here; other operations have their name there, and are left to the rule
-- RETURNS  doubles in a string: 1 allowed or 0 | x | y | now mod window
-- A bucket whose refill has changed is left to the rule.
if not ARGV[2] then
  local call = redis.call
  local permits, tag, capacity, window, refill = struct.unpack('<ddddd', ARGV[1])
  local settle = tag == COUNTER and sliding_counter or tag == FIXED and fixed_window or token_bucket
  local now, newest, expires, x, y, old_refill, used, ends = clock, 0, 0, 0, 0, refill
  local value = call('GET', KEYS[1])
  if value then
    local found
    if tag == BUCKET then
      check_state(#value == 48)
      found, newest, expires, x, y, old_refill = struct.unpack('<dddddd', value)
    else
      check_state(#value == 40)
      found, newest, expires, x, y = struct.unpack('<ddddd', value)
    end
    check_state(found == tag)
    if now < newest then
      now = newest
    end
  end
  if old_refill == refill then
    x, y, used, ends = settle(x, y, newest, now, window, refill, permits, refill)
    if used + permits > capacity then
      return struct.pack('<dddd', 0, x, y, now % window)
    end
    if permits > 0 then
      x = x + permits
      local least = (ends - ends % 1000) / 1000 + 2
      local kept = least <= expires and expires <= least + linger_millis
      if not kept then
        expires = least + linger_millis
      end
      if tag == BUCKET then
        value = struct.pack('<dddddd', tag, now, expires, x, y, refill)
      else
        value = struct.pack('<ddddd', tag, now, expires, x, y)
      end
      if kept then
        call('SET', KEYS[1], value, 'KEEPTTL')
      else
        call('SET', KEYS[1], value, 'PXAT', string.format('%.0f', expires))
      end
    end
    return struct.pack('<dddd', 1, x, y, now % window)
  end
end
