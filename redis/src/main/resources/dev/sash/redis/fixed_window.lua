-- fixed_window: the count of the window, aligned to multiples of W, that now falls into
-- STATE  x the count
-- TTL    the end of the window
local function fixed_window(x, _, newest, now, window)
  local ends = now - now % window + window
  if newest < ends - window then
    x = 0
  end
  return x, 0, x, ends
end
