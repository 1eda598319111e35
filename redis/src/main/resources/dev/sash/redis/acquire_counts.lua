-- acquire_counts: acquires permits of a limit whose state is two numbers; a part of batch. See counts for the state.
-- USES    as acquire_log
-- SETS    admitted: how many fit, none if the rule must decide: if a product is not exact in a double, or the refill of
--         a bucket has changed, or time went backwards for one of several limits; x, y, z: the reply; or failure
local value = try('GET', key)
repeat
  local newest, expires, used, ends = 0, 0, nil, nil
  x, y = 0, 0
  if value then
    local found, refill
    if tag == BUCKET and #value == 48 then
      found, newest, expires, x, y, refill = unpack('<dddddd', value)
    elseif tag ~= BUCKET and #value == 40 then
      found, newest, expires, x, y = unpack('<ddddd', value)
    end
    if found ~= tag then
      failure = type(value) == 'table' and value or STATE_ERROR
      break
    end
    if tag == BUCKET and refill ~= extra then
      break
    end
    if now < newest then
      if limits > 1 then
        break
      end
      now = newest
    end
  end
  z = now % window
  if tag == COUNTER then
    local begun = now - z
    if newest < begun then
      x, y = 0, newest >= begun - window and x or 0
    end
    used, ends = x, begun + 2 * window
    if y > 0 then
      local product = y * (window - z)
      if product >= EXACT then
        break
      end
      used = x + (product - product % window) / window
    end
  elseif tag == FIXED then
    ends = now - z + window
    if newest < ends - window then
      x = 0
    end
    used = x
  else
    if x + y > 0 and now > newest then
      local product = extra * (now - newest)
      if product > 1.001 * (x + 1) * window then -- more than paid, by more than rounding hides
        x, y = 0, 0
      elseif product >= EXACT then
        break
      else
        local parts = product % window
        x, y = x - (product - parts) / window, y - parts
        if y < 0 then
          x, y = x - 1, y + window
        end
        if x < 0 then
          x, y = 0, 0
        end
      end
    end
    used = y > 0 and x + 1 or x
  end
  local fits = so_far
  if used + permits * fits > capacity then
    fits = permits > 0 and used < capacity and math.floor((capacity - used) / permits) or 0
  end
  if dry or permits * fits == 0 then
    admitted = fits
    break
  end
  x = x + permits * fits
  if tag == BUCKET then
    ends = now + (x + 1) * window / extra
    if ends > 72057594037927936 then
      ends = 72057594037927936 -- a debt may last for millions of years, an expiry may not
    end
  end
  local least = (ends - ends % 1000) / 1000 + 2
  local latest = least + linger_millis + math.floor(window * linger_share)
  local kept = least <= expires and expires <= latest
  if not kept then
    expires = latest
  end
  if tag == BUCKET then
    value = pack('<dddddd', tag, now, expires, x, y, extra)
  else
    value = pack('<ddddd', tag, now, expires, x, y)
  end
  local written
  if kept then
    written = try('SET', key, value, 'KEEPTTL')
  else
    written = try('SET', key, value, 'PXAT', format('%.0f', expires))
  end
  if not written.ok then
    failure = written
    break
  end
  admitted = fits
until true
