-- clock, for tests: the time is the last argument, and nothing expires, as Redis expires by its own clock
local clock = math.max(0, tonumber(ARGV[#ARGV]))
ARGV[#ARGV] = nil
local linger_millis = 2 ^ 43
