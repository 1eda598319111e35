-- batch: requests for any number of keys, those for one key in the order in which they came
-- KEYS     for each group of requests, which is about one key: the state of each of its limits
-- ARGV     1 a program:
--            number of sets of limits, and for each: number of limits, and for each limit four doubles: tag of the
--              algorithm | capacity | window in microseconds | cells (log), refill per window (bucket) or 0
--            for each group: number of its set, if there are several; then the number of requests for one permit each,
--              or 0 and the number of runs, and for each run: operation | permits | number of requests
-- RETURNS  for each run of each group: how many of its requests were allowed, and for each limit three doubles, after
--            what was done:
--              of a log: used, retry_after, reset_after, in microseconds
--              of another: x, y, now mod window
--            inspect: for each limit more: number of records, PTTL in milliseconds, and of a log 20 waits in
--              microseconds, until (20 - i) / 20 of the permits are left, otherwise 20 zeros
--          or, for a group that failed: 65535, length of a message, the message
-- A denied request changes nothing, so that the equal requests behind it are denied as well.
--
-- A group that is one run of requests to acquire is decided in a straight line, by acquire_log or acquire_counts.
-- Of several limits all but the last are looked at twice: first to find out how many of the requests fit under them, and
-- when the last has decided, to charge these. Everything else is left to the rule. There is no function in the straight
-- line because Lua pays for every variable that a function shares with another, in every call of the script.
local call, try, byte, sub, format, pack, unpack =
  redis.call, redis.pcall, string.byte, string.sub, string.format, struct.pack, struct.unpack
local program, keys, replies, n = ARGV[1], KEYS, {}, 0
local size, at, first = #program, 2, 0
local sets, rule
local limits, tag, capacity, window, extra
if byte(program) == 1 and byte(program, 2) == 1 then
  limits, tag, capacity, window, extra, at = 1, unpack('<dddd', program, 3)
else
  sets = {}
  for i = 1, byte(program) do
    limits = byte(program, at)
    sets[i] = { unpack('<' .. string.rep('dddd', limits), program, at + 1) }
    at = table.remove(sets[i])
  end
end
local prepared, cell, linger, width, modulus, record, read, write, read_total, write_total -- see acquire_log

while at <= size do
  local set
  if sets then
    set = sets[#sets > 1 and byte(program, at) or 1]
    at = #sets > 1 and at + 1 or at
    limits = #set / 4
  end
  local permits, count, runs, start = 1, byte(program, at), 0, at + 2
  at = at + 1
  if count == 0 then
    runs = byte(program, at)
    at = start + 7 * runs
    if runs == 1 then
      local operation
      operation, permits, count = unpack('<BI4I2', program, start)
      if operation == ACQUIRE then
        runs = 0
      end
    end
  end

  local reply, failure
  if runs == 0 then
    local so_far, i, dry, last = count, 1, limits > 1, nil
    while true do
      if set then
        tag, capacity, window, extra = set[4 * i - 3], set[4 * i - 2], set[4 * i - 1], set[4 * i]
        prepared = false
      end
      local key, now, admitted, x, y, z = keys[first + i], clock, nil, nil, nil, nil
      if tag == LOG then
        --@ acquire_log
      else
        --@ acquire_counts
      end
      if not admitted then
        reply = nil
        break
      end
      so_far = admitted
      if dry then
        i = i + 1
        dry = i < limits
      elseif limits == 1 then
        reply = pack('<I2ddd', admitted, x, y, z)
        break
      elseif i == limits then
        last, i = pack('<ddd', x, y, z), 1
      else
        reply = i == 1 and pack('<I2ddd', admitted, x, y, z) or reply .. pack('<ddd', x, y, z)
        i = i + 1
        if i == limits then
          reply = reply .. last
          break
        end
      end
    end
  end
  if not reply and not failure then
    if not rule then
      local function make_rule()
        --@ general
      end
      rule = make_rule()
    end
    local succeeded
    succeeded, reply = pcall(rule, set or { tag, capacity, window, extra }, start, runs, permits, count)
    if not succeeded then
      failure = reply -- the keys of other groups have nothing to do with it
    end
  end
  if failure then
    local message = sub(type(failure) == 'table' and failure.err or failure, 1, 1000)
    reply = pack('<I2I2', 65535, #message) .. message
  end
  n = n + 1
  replies[n] = reply
  first = first + limits
end
return n == 1 and replies[1] or table.concat(replies)
