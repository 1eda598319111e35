-- document: replaces a document if it still has the expected version
-- KEYS[1]  the version
-- KEYS[2]  the version, a line break and the content
-- ARGV     1 expected version, empty if there is no document | 2 next version | 3 what KEYS[2] holds
-- RETURNS  1 if it was replaced, 0 if it had another version
-- CLOCK    none    TTL  none
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2])
return 1
