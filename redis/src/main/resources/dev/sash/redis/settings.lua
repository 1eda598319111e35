-- settings: what tests replace
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2] -- microseconds of the server's own clock: those of callers differ
local linger_millis = 1000 -- for how long state may stay after nothing is charged any more, and a share of the window
local linger_share = 1 / 16000 -- of a window in microseconds, in milliseconds: one sixteenth
local block_bytes = 240 -- of records in a block of a log
local deleted_at_once = 50 -- blocks of a log
