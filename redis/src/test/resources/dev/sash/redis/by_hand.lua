-- settings for tests: the time is the last argument, and nothing expires, as Redis expires by a clock of its own
local clock = math.max(0, tonumber(ARGV[#ARGV]))
ARGV[#ARGV] = nil
local linger_millis = 2 ^ 43
local linger_share = 0
local block_bytes = 240
local deleted_at_once = 50
