-- two_keys: the sliding counter as it is usually published, one key for each window; it counts the denied too
-- KEYS     1 the count of the window that the caller's time falls into | 2 that of the window before
-- ARGV     1 limit | 2 window in ms | 3 the caller's time in ms
-- RETURNS  1 allowed, 0 denied
local window = tonumber(ARGV[2])
local current = redis.call('INCR', KEYS[1])
if current == 1 then
  redis.call('PEXPIRE', KEYS[1], 2 * window)
end
local previous = tonumber(redis.call('GET', KEYS[2]) or 0)
local weight = 1 - tonumber(ARGV[3]) % window / window
if current + previous * weight > tonumber(ARGV[1]) then
  return 0
end
return 1
