-- counts: what the algorithms have in common whose state is two numbers, x and y
--
-- Each is one function, in a file of its own, that brings the state forward in time:
--   x, y, newest, now, window, refill, old_refill  ->  x, y, used, ends
-- used is what is charged now, ends the time at which nothing will be. A charge adds to x. Waits follow from x, y and
-- now mod W; the caller works them out, who has more time than Redis.
--
-- STATE  a string of five doubles: tag of the algorithm, newest time, expiry in milliseconds, x, y; of a bucket a
--        sixth: the refill
local function open_counts(key, tag, window, refill)
  local counts = { key = key, tag = tag, window = window, refill = refill, old_refill = refill,
    newest = 0, expires = 0, x = 0, y = 0 }
  local value = call('GET', key)
  if value then
    check(#value == (tag == BUCKET and 48 or 40))
    local found
    found, counts.newest, counts.expires, counts.x, counts.y = unpack('<ddddd', value)
    check(found == tag)
    if tag == BUCKET then
      counts.old_refill = unpack('<d', value, 41)
      counts.changed = counts.old_refill ~= refill and counts.x + counts.y > 0
    end
  end
  counts.settle = tag == COUNTER and sliding_counter or tag == FIXED and fixed_window or token_bucket
  return counts
end

-- Brings the state forward. Nothing is written.
local function settle_counts(counts, now)
  counts.x, counts.y, counts.used, counts.ends =
    counts.settle(counts.x, counts.y, counts.newest, now, counts.window, counts.refill, counts.old_refill)
  counts.newest, counts.old_refill = now, counts.refill
end

local function change_counts(counts, now, x, y)
  counts.x, counts.y, counts.changed = x, y, true
  settle_counts(counts, now)
end

local function give_back_counts(counts, now, permits)
  local x, y = counts.x - permits, counts.y
  if x < 0 then
    y = counts.tag == COUNTER and math.max(0, y + x) or 0
    x = 0
  end
  change_counts(counts, now, x, y)
end

-- Writes the state.
local function write_counts(counts, now)
  counts.changed = false
  local ends = counts.x + counts.y > 0 and counts.ends or now
  local kept
  counts.expires, kept = expiry(counts.expires, ends, counts.window)
  local value = pack('<ddddd', counts.tag, now, counts.expires, counts.x, counts.y)
  if counts.tag == BUCKET then
    value = value .. pack('<d', counts.refill)
  end
  if kept then
    call('SET', counts.key, value, 'KEEPTTL')
  else
    call('SET', counts.key, value, 'PXAT', format('%.0f', counts.expires))
  end
end
