-- sliding_counter: floor(P (W - e) / W) + C, of windows aligned to multiples of W, where e = now mod W
-- STATE  x the count C of the window that the newest time falls into, y the count P of the one before
-- TTL    the end of the next window
local function sliding_counter(x, y, newest, now, window)
  local e = now % window
  local start = now - e
  if newest < start then
    x, y = 0, newest >= start - window and x or 0
  end
  if y == 0 then
    return x, 0, x, start + 2 * window
  end
  local weighed = mul_div(y, window - e, window)
  return x, y, x + weighed, start + 2 * window
end
