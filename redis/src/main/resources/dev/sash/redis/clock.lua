-- clock: the server's own time in microseconds, and for how long idle state may linger
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local linger_millis = 1000
