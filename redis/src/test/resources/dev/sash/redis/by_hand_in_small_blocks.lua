-- settings for tests: as by_hand, and logs have blocks of one to three records
local clock = math.max(0, tonumber(ARGV[#ARGV]))
ARGV[#ARGV] = nil
local linger_millis = 2 ^ 43
local linger_share = 0
local block_bytes = 12
local deleted_at_once = 1
