-- counts: what the algorithms have in common whose state is two numbers, x and y
--
-- Each is one function, in a file of its own, that brings the state forward in time:
--   x, y, newest, now, window, refill, permits, old_refill  ->  x, y, used, ends
-- used is what is charged now, ends the time at which nothing will be if so many permits are charged now. A charge
-- adds to x. Waits follow from x, y and now mod W; the caller works them out, who has more time than Redis.
--
-- STATE  a string of five doubles: tag of the algorithm, newest time, expiry in milliseconds, x, y; of a bucket a
--        sixth: the refill
local function open_counts(key, tag, window, refill)
  local counts = { key = key, tag = tag, window = window, refill = refill, old_refill = refill,
    newest = 0, expires = 0, x = 0, y = 0 }
  local value = redis.call('GET', key)
  if value then
    check_state(#value == (tag == BUCKET and 48 or 40))
    local found
    found, counts.newest, counts.expires, counts.x, counts.y = struct.unpack('<ddddd', value)
    check_state(found == tag)
    if tag == BUCKET then
      counts.old_refill = struct.unpack('<d', value, 41)
      counts.refill_changed = counts.old_refill ~= refill and counts.x + counts.y > 0
    end
  end
  counts.settle = tag == COUNTER and sliding_counter or tag == FIXED and fixed_window or token_bucket
  return counts
end

-- Brings the state forward. Nothing is written.
local function settle_counts(counts, now, permits)
  counts.x, counts.y, counts.used, counts.ends =
    counts.settle(counts.x, counts.y, counts.newest, now, counts.window, counts.refill, permits, counts.old_refill)
  counts.newest, counts.old_refill = now, counts.refill
end

local function packed_counts(counts, now, x, y)
  if counts.tag == BUCKET then
    return struct.pack('<dddddd', BUCKET, now, counts.expires, x, y, counts.refill)
  end
  return struct.pack('<ddddd', counts.tag, now, counts.expires, x, y)
end

-- Writes the state. Moving an expiry costs about as much as the rest: that is done only when it is too early, or
-- later than need be by more than the time that idle state may linger.
local function write_counts(counts, now, x, y, ends)
  counts.x, counts.y, counts.refill_changed = x, y, false
  local least = (ends - ends % 1000) / 1000 + 2
  if least <= counts.expires and counts.expires <= least + linger_millis then
    redis.call('SET', counts.key, packed_counts(counts, now, x, y), 'KEEPTTL')
  else
    counts.expires = least + linger_millis
    redis.call('SET', counts.key, packed_counts(counts, now, x, y), 'PXAT', string.format('%.0f', counts.expires))
  end
end

local function give_back_counts(counts, now, permits)
  local x, y = counts.x - permits, counts.y
  if x < 0 then
    y = counts.tag == COUNTER and math.max(0, y + x) or 0
    x = 0
  end
  write_counts(counts, now, x, y, x + y > 0 and counts.ends or now)
end
