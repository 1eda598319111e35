-- sliding_counter: floor(P (W - e) / W) + C of windows aligned to multiples of W, e = now mod W
-- STATE    one string: tag, newest time, expiry, C, P
-- CLOCK    see clock    TTL  until the estimate is zero, at most two windows
do
  local TAG, FORMAT = 2, '>BI7I6I4I4'

  -- The counts of the window that now falls into and of the one before it.
  local function counts(s, now)
    local elapsed = now - s.newest + s.newest % s.window
    if elapsed < s.window then
      return s.current, s.previous
    end
    return 0, elapsed < 2 * s.window and s.current or 0
  end

  -- The least e >= 0 with floor(count (W - e) / W) <= most; W if there is none before. From
  -- count (W - e) < (most + 1) W follows W - e <= ceil((most + 1) W / count) - 1.
  local function first_elapsed(count, window, most)
    if count <= most then
      return 0
    end
    local quotient, rest = mul_div(most + 1, window, count)
    return window - quotient + (rest > 0 and 0 or 1)
  end

  local function write(s, now, current, previous)
    s.newest, s.current, s.previous = now, current, previous
    local wait = algorithms['sliding-counter'].wait(s, now, 0)
    write_string(s, TAG, FORMAT, now, wait, current, previous)
  end

  local self = {}
  function self.read(s)
    local current, previous = read_string(s, TAG, FORMAT)
    s.current, s.previous = current or 0, previous or 0
  end
  function self.used(s, now)
    local current, previous = counts(s, now)
    if previous == 0 then
      return current
    end
    local weighed = mul_div(previous, s.window - now % s.window, s.window)
    return current + weighed
  end
  function self.wait(s, now, most)
    if self.used(s, now) <= most then
      return 0, 0
    end
    -- The estimate only falls, so the first of the two windows in which it is low enough decides.
    local current, previous = counts(s, now)
    local at = current <= most and first_elapsed(previous, s.window, most - current) or s.window
    if at >= s.window then
      at = s.window + first_elapsed(current, s.window, most)
    end
    return at - now % s.window, 0
  end
  function self.charge(s, now, n)
    local current, previous = counts(s, now)
    write(s, now, current + n, previous)
  end
  function self.give_back(s, now, n)
    local current, previous = counts(s, now)
    local from_previous = math.max(0, n - current)
    write(s, now, math.max(0, current - n), math.max(0, previous - from_previous))
  end
  function self.records(s, now)
    local current, previous = counts(s, now)
    return (current > 0 and 1 or 0) + (previous > 0 and 1 or 0)
  end
  algorithms['sliding-counter'] = self
end
