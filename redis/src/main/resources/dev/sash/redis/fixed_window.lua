-- fixed_window: the count of the window, aligned to multiples of W, that now falls into
-- STATE    one string: tag, newest time, expiry, count
-- CLOCK    see clock    TTL  to the end of the window
do
  local TAG, FORMAT = 3, '>BI7I6I4'

  local function left(s, now)
    return s.window - s.newest % s.window - (now - s.newest)
  end

  local function write(s, now, count)
    s.count = count
    local wait = count > 0 and s.window - now % s.window or 0
    write_string(s, TAG, FORMAT, now, wait, count)
  end

  local self = {}
  function self.read(s)
    s.count = read_string(s, TAG, FORMAT) or 0
  end
  function self.used(s, now)
    return left(s, now) > 0 and s.count or 0
  end
  function self.wait(s, now, most)
    return self.used(s, now) <= most and 0 or left(s, now), 0
  end
  function self.charge(s, now, n)
    write(s, now, self.used(s, now) + n)
  end
  function self.give_back(s, now, n)
    write(s, now, math.max(0, self.used(s, now) - n))
  end
  function self.records(s, now)
    return self.used(s, now) > 0 and 1 or 0
  end
  algorithms['fixed-window'] = self
end
