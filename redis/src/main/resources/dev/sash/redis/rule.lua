-- rule: every operation on one or several limits of one key, all or nothing
-- KEYS     the state of each limit
-- ARGV     1 doubles: permits, and for each limit: tag of the algorithm | capacity | window in microseconds |
--            cells (log), refill per window (bucket) or 0
--          2 refund, charge, inspect, or none to acquire
-- RETURNS  doubles in a string: 1 if so many permits fit, or 0, and for each limit, after what was done:
--            of a log: used, retry_after, reset_after, in microseconds
--            of another: x, y, now mod window
--          inspect: for each limit two more: number of records, PTTL in milliseconds
local permits = struct.unpack('<d', ARGV[1])
local operation = ARGV[2]
local limits, now = {}, clock
for i = 1, #KEYS do
  local tag, capacity, window, extra = struct.unpack('<dddd', ARGV[1], 32 * i - 23)
  local limit = tag == LOG and open_log(KEYS[i], window, extra) or open_counts(KEYS[i], tag, window, extra)
  limit.is_log, limit.capacity = tag == LOG, capacity
  if now < limit.newest then
    now = limit.newest -- one time for all: a limit that is new to the key has seen less than another
  end
  limits[i] = limit
end

for i = 1, #limits do
  local limit = limits[i]
  if not limit.is_log then
    settle_counts(limit, now, operation and 0 or permits)
  end
  if operation == 'refund' and permits > 0 and (limit.is_log and look(limit, now) or limit.used) > 0 then
    if limit.is_log then
      log_give_back(limit, now, permits)
    else
      give_back_counts(limit, now, permits)
      settle_counts(limit, now, 0)
    end
  end
end
if operation == 'charge' then
  for i = 1, #limits do
    local limit = limits[i]
    permits = math.max(0, math.min(permits, MAX_USED - (limit.is_log and look(limit, now) or limit.used)))
  end
  for i = 1, permits > 0 and #limits or 0 do
    local limit = limits[i]
    if limit.is_log then
      log_charge(limit, now, permits)
    else
      settle_counts(limit, now, permits)
      write_counts(limit, now, limit.x + permits, limit.y, limit.ends)
      settle_counts(limit, now, 0)
    end
  end
end
if operation then
  permits = 0
end

local fits = 1
for i = 1, #limits do
  local limit = limits[i]
  if (limit.is_log and look(limit, now) or limit.used) + permits > limit.capacity then
    fits = 0
  end
end

local reply = { struct.pack('<d', fits) }
for i = 1, #limits do
  local limit = limits[i]
  if limit.is_log then
    local retry = permits <= limit.capacity and log_wait(limit, now, limit.capacity - permits) or 0
    if fits == 1 and permits > 0 then
      log_charge(limit, now, permits)
    end
    reply[#reply + 1] = struct.pack('<ddd', look(limit, now), retry, log_wait(limit, now, 0))
  else
    if fits == 1 and permits > 0 then
      write_counts(limit, now, limit.x + permits, limit.y, limit.ends)
    elseif limit.refill_changed then
      write_counts(limit, now, limit.x, limit.y, limit.ends)
    end
    reply[#reply + 1] = struct.pack('<ddd', limit.x, limit.y, now % limit.window)
  end
  if operation == 'inspect' then
    local records = limit.is_log and log_records(limit, now) or (limit.used > 0 and 1 or 0)
    reply[#reply + 1] = struct.pack('<dd', records, redis.call('PTTL', limit.key))
  end
end
return table.concat(reply)
