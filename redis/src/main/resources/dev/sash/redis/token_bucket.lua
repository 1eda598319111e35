-- token_bucket: a debt that L permits per window pay off evenly; a request fits if the debt stays within the capacity
-- STATE  x the whole permits owed, y the W-ths of a permit owed beside them, and the L that pays them off: when L
--        changes, the debt is first paid off by the old one up to now
-- TTL    when the debt is paid
local function token_bucket(x, y, newest, now, window, refill, old_refill)
  local elapsed = now - newest
  if old_refill * elapsed > 1.001 * (x + 1) * window then -- more than paid, by more than rounding hides
    x, y = 0, 0
  elseif elapsed > 0 then
    local paid, paid_parts = mul_div(old_refill, elapsed, window)
    x, y = x - paid, y - paid_parts
    if y < 0 then
      x, y = x - 1, y + window
    end
    if x < 0 then
      x, y = 0, 0
    end
  end
  -- A debt may last for millions of years, an expiry may not.
  return x, y, y > 0 and x + 1 or x, math.min(now + (x + 1) * window / refill, 2 ^ 56)
end
