-- sorted_set: the exact log as it is usually published, a sorted set with one member for each request
-- KEYS[1]  the set
-- ARGV     1 limit | 2 window in ms | 3 the caller's time in ms | 4 a member that no other request has
-- RETURNS  1 allowed, 0 denied
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[3]) - tonumber(ARGV[2]))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
