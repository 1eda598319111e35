-- sliding_log: the permits admitted in (now - W, now]
do
  local TAG, HEAD, RECORD = 1, '>BI7I6', '>I7I4'

  local function date(s, now)
    if s.extra == 0 then
      return now
    end
    local cell = math.ceil(s.window / s.extra)
    return now - now % cell + cell - 1
  end

  local function write(s, now)
    local dates, counts = s.dates, s.counts
    local reset_at = #dates > 0 and dates[#dates] + s.window or now
    local expires = expiry(s, reset_at)
    local parts = { struct.pack(HEAD, TAG, now, expires) }
    for i = 1, #dates do
      parts[#parts + 1] = struct.pack(RECORD, dates[i], counts[i])
    end
    s.newest, s.expires = now, expires
    redis.call('SET', s.key, table.concat(parts), 'PXAT', string.format('%.0f', expires))
  end

  local function forget(s, now)
    while s.dates[1] and s.dates[1] + s.window <= now do
      table.remove(s.dates, 1)
      table.remove(s.counts, 1)
    end
  end

  local self = {}
  function self.read(s)
    local value = redis.call('GET', s.key)
    s.newest, s.dates, s.counts = 0, {}, {}
    if value then
      if value:byte(1) ~= TAG then
        error('not the state of a ' .. s.algorithm .. ' limit: ' .. s.key)
      end
      local tag, newest, expires, at = struct.unpack(HEAD, value)
      s.newest, s.expires = newest, expires
      while at <= #value do
        s.dates[#s.dates + 1], s.counts[#s.counts + 1], at = struct.unpack(RECORD, value, at)
      end
    end
  end
  function self.used(s, now)
    local used = 0
    for i = 1, #s.dates do
      if s.dates[i] + s.window > now then
        used = used + s.counts[i]
      end
    end
    return used
  end
  function self.wait(s, now, most)
    local used = self.used(s, now)
    local wait = 0
    for i = 1, #s.dates do
      if used <= most then
        break
      end
      if s.dates[i] + s.window > now then
        used = used - s.counts[i]
        wait = s.dates[i] + s.window - now
      end
    end
    return wait, 0
  end
  function self.charge(s, now, n)
    forget(s, now)
    local d = date(s, now)
    local last = #s.dates
    if s.extra > 0 and s.dates[last] == d then
      s.counts[last] = s.counts[last] + n
    else
      s.dates[last + 1], s.counts[last + 1] = d, n
    end
    write(s, now)
  end
  function self.give_back(s, now, n)
    forget(s, now)
    while n > 0 and #s.dates > 0 do
      local last = #s.dates
      local taken = math.min(n, s.counts[last])
      n = n - taken
      s.counts[last] = s.counts[last] - taken
      if s.counts[last] == 0 then
        s.dates[last], s.counts[last] = nil, nil
      end
    end
    write(s, now)
  end
  function self.records(s, now)
    local records = 0
    for i = 1, #s.dates do
      if s.dates[i] + s.window > now then
        records = records + 1
      end
    end
    return records
  end
  algorithms['sliding-log'] = self
end
