-- rule: every operation on one or several limits of one key, all or nothing; see batch for the program and the reply
-- Each limit is read once, and written once after the last run, unless a log has to begin a block in between.
local function used_of(limit, now)
  return limit.is_log and look(limit, now) or limit.used
end

local function charge(opened, now, permits)
  for i = 1, limits do
    local limit = opened[i]
    if limit.is_log then
      log_charge(limit, now, permits)
    else
      change_counts(limit, now, limit.x + permits, limit.y)
    end
  end
end

local function refund(opened, now, permits)
  for i = 1, limits do
    local limit = opened[i]
    if used_of(limit, now) > 0 then
      if limit.is_log then
        log_give_back(limit, now, permits)
      else
        give_back_counts(limit, now, permits)
      end
    end
  end
end

-- The reply of a run: the permits of each request tell how long another one would have to wait.
local function describe(opened, now, operation, permits, admitted)
  local reply = { pack('<I2', admitted) }
  for i = 1, limits do
    local limit = opened[i]
    if limit.is_log then
      local retry = permits <= limit.capacity and log_wait(limit, now, limit.capacity - permits) or 0
      reply[#reply + 1] = pack('<ddd', look(limit, now), retry, log_wait(limit, now, 0))
    else
      reply[#reply + 1] = pack('<ddd', limit.x, limit.y, now % limit.window)
    end
    if operation == INSPECT then
      local records = limit.is_log and log_records(limit, now) or (limit.used > 0 and 1 or 0)
      reply[#reply + 1] = pack('<dd', records, call('PTTL', limit.key))
      for step = 1, STEPS do
        local left = math.floor(limit.is_log and look(limit, now) * (STEPS - step) / STEPS or 0)
        reply[#reply + 1] = pack('<d', limit.is_log and log_wait(limit, now, left) or 0)
      end
    end
  end
  return table.concat(reply)
end

local function open_all(set)
  local opened, now = {}, clock
  for i = 1, limits do
    local key, tag, capacity, window, extra = keys[first + i], set[4 * i - 3], set[4 * i - 2], set[4 * i - 1], set[4 * i]
    local limit = tag == LOG and open_log(key, window, extra) or open_counts(key, tag, window, extra)
    limit.is_log, limit.capacity = tag == LOG, capacity
    if now < limit.newest then
      now = limit.newest -- one time for all: a limit that is new to the key has seen less than another
    end
    opened[i] = limit
  end
  for i = 1, limits do
    if not opened[i].is_log then
      settle_counts(opened[i], now)
    end
  end
  return opened, now
end

local function write_all(opened, now)
  for i = 1, limits do
    local limit = opened[i]
    if limit.changed then
      if limit.is_log then
        write_log(limit, now)
      else
        write_counts(limit, now)
      end
    end
  end
end

return function(set, start, runs, permits, count)
  local replies, opened, now = {}, nil, nil
  for run = 1, runs > 0 and runs or 1 do
    local operation = ACQUIRE
    if runs > 0 then
      operation, permits, count, start = unpack('<BI4I2', program, start)
    end
    if not opened and operation ~= RESET then
      opened, now = open_all(set)
    end
    if operation == ACQUIRE then
      local room = math.huge
      for i = 1, limits do
        room = math.min(room, opened[i].capacity - used_of(opened[i], now))
      end
      local admitted = room < permits and 0 or count
      if permits > 0 and admitted > 0 then
        admitted = math.min(count, math.floor(room / permits))
        charge(opened, now, permits * admitted)
      end
      replies[run] = describe(opened, now, operation, permits, admitted)
    elseif operation == RESET then
      for i = 1, limits do
        call('UNLINK', keys[first + i])
      end
      opened, replies[run] = nil, pack('<I2', 1) .. string.rep(pack('<ddd', 0, 0, 0), limits)
    else
      if operation == REFUND and permits > 0 then
        refund(opened, now, permits)
      elseif operation == CHARGE then
        for i = 1, limits do
          permits = math.min(permits, MAX_USED - used_of(opened[i], now))
        end
        if permits > 0 then
          charge(opened, now, permits)
        end
      end
      if operation == INSPECT then
        write_all(opened, now) -- before the expiry is read
      end
      local asked, fits = operation == INSPECT and permits or 0, 1
      for i = 1, limits do
        if used_of(opened[i], now) + asked > opened[i].capacity then
          fits = 0
        end
      end
      replies[run] = describe(opened, now, operation, asked, fits)
    end
  end
  if opened then
    write_all(opened, now)
  end
  return table.concat(replies)
end
