-- token_bucket: a debt that L permits per window pay off evenly; a request fits if the debt stays within the capacity
-- STATE    one string: tag, newest time, expiry, whole permits owed, W-ths of a permit owed
-- CLOCK    see clock    TTL  until the debt is paid
do
  local TAG, FORMAT = 4, '>BI7I6I4I6'

  -- What is owed now, in whole permits and W-ths of one.
  local function owed(s, now)
    local elapsed, refill, window = now - s.newest, s.extra, s.window
    if elapsed == 0 or s.debt == 0 and s.parts == 0 then
      return s.debt, s.parts
    end
    if refill * elapsed > 1.001 * (s.debt + 1) * window then
      return 0, 0
    end
    local paid, paid_parts = mul_div(refill, elapsed, window)
    local debt, parts = s.debt - paid, s.parts - paid_parts
    if parts < 0 then
      debt, parts = debt - 1, parts + window
    end
    if debt < 0 then
      return 0, 0
    end
    return debt, parts
  end

  local function div_up(a, b)
    return (a + (-a) % b) / b
  end

  -- (debt W + parts) / refill, rounded up, where it passes 2^52: in two parts, see rule. By division in digits of 16
  -- bits of W. At most 2^62.
  local function long_wait(s, debt, parts)
    local W, DIGIT = s.window, 65536
    local w0 = W % DIGIT
    local w1 = (W - w0) / DIGIT % DIGIT
    local w2 = (W - w0 - w1 * DIGIT) / (DIGIT * DIGIT)
    local r2 = debt * w2 % s.extra
    local q2 = (debt * w2 - r2) / s.extra
    local x1 = r2 * DIGIT + debt * w1
    local r1 = x1 % s.extra
    local q1 = (x1 - r1) / s.extra
    local x0 = r1 * DIGIT + debt * w0
    local r0 = x0 % s.extra
    local q0 = (x0 - r0) / s.extra
    local low = q1 % DIGIT * DIGIT + q0 + div_up(r0 + parts, s.extra)
    local high = q2 + math.floor(q1 / DIGIT) + math.floor(low / 2 ^ 32)
    if high >= 2 ^ 30 then
      return 0, 2 ^ 30
    end
    return low % 2 ^ 32, high
  end

  local function until_paid(s, debt, parts)
    if debt * s.window >= 2 ^ 52 * s.extra then
      return long_wait(s, debt, parts)
    end
    local quotient, rest = mul_div(debt, s.window, s.extra)
    return quotient + div_up(rest + parts, s.extra), 0
  end

  local function write(s, now, debt, parts)
    s.newest, s.debt, s.parts = now, debt, parts
    local low, high = until_paid(s, debt, parts)
    write_string(s, TAG, FORMAT, now, low + high * 2 ^ 32, debt, parts)
  end

  local self = {}
  function self.read(s)
    local debt, parts = read_string(s, TAG, FORMAT)
    s.debt, s.parts = debt or 0, parts or 0
  end
  function self.used(s, now)
    local debt, parts = owed(s, now)
    return parts > 0 and debt + 1 or debt
  end
  function self.wait(s, now, most)
    local debt, parts = owed(s, now)
    if (parts > 0 and debt + 1 or debt) <= most then
      return 0, 0
    end
    return until_paid(s, debt - most, parts)
  end
  function self.charge(s, now, n)
    local debt, parts = owed(s, now)
    write(s, now, debt + n, parts)
  end
  function self.give_back(s, now, n)
    local debt, parts = owed(s, now)
    if debt < n then
      write(s, now, 0, 0)
    else
      write(s, now, debt - n, parts)
    end
  end
  function self.records(s, now)
    return self.used(s, now) > 0 and 1 or 0
  end
  algorithms['token-bucket'] = self
end
