-- acquire_counts: the usual request in a straight line: permits of one limit whose state is two numbers, see counts
-- KEYS     1 the state
-- ARGV     1 five doubles: permits | tag of the algorithm | capacity | window in microseconds | refill
--          2 none here; other operations have their name there, and are left to the rule
-- RETURNS  doubles in a string: 1 allowed or 0 | x | y | now mod window
if not ARGV[2] then
  local call = redis.call
  local permits, tag, capacity, window, refill = struct.unpack('<ddddd', ARGV[1])
  local settle = tag == COUNTER and sliding_counter or tag == FIXED and fixed_window or token_bucket
  local now, newest, expires, x, y, used, ends = clock, 0, 0, 0, 0
  local value = call('GET', KEYS[1])
  if value then
    local found
    found, newest, expires, x, y = struct.unpack('<ddddd', value)
    if found ~= tag then
      error(NOT_OURS, 0)
    end
    if now < newest then
      now = newest
    end
  end
  x, y, used, ends = settle(x, y, newest, now, window, refill, permits)
  if used + permits > capacity then
    return struct.pack('<dddd', 0, x, y, now % window)
  end
  if permits > 0 then
    x = x + permits
    local least = (ends - ends % 1000) / 1000 + 2
    if least <= expires and expires <= least + linger_millis then
      call('SET', KEYS[1], struct.pack('<ddddd', tag, now, expires, x, y), 'KEEPTTL')
    else
      expires = least + linger_millis
      call('SET', KEYS[1], struct.pack('<ddddd', tag, now, expires, x, y), 'PXAT', string.format('%.0f', expires))
    end
  end
  return struct.pack('<dddd', 1, x, y, now % window)
end
