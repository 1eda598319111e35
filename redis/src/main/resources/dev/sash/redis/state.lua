-- state: how every algorithm keeps a limit's state under its key
--
-- An algorithm is a table of functions on a state s, which has the key, the capacity and the window of its limit:
--   read(s)              reads what is kept; sets s.newest, the newest time recorded, 0 if there is none
--   used(s, now)         the permits charged
--   wait(s, now, most)   the least wait until at most so many are charged, 0 if they are: low, high (see rule)
--   charge(s, now, n)    charges n > 0 that fit, and records now as the newest time
--   give_back(s, now, n) gives back up to n > 0 of the newest permits; some are charged
--   records(s, now)      how many records are kept of what is charged
-- now is never before s.newest; read, used, wait and records write nothing.
local algorithms = {}

-- The time at which the key may go, in milliseconds: not before what is charged has gone, and in steps, because
-- moving an expiry costs as much as a read and a write. The most is some thousand years.
local function expiry(s, reset_at)
  local least = math.min(reset_at - reset_at % 1000, 1e17) / 1000 + 2
  if s.expires and least <= s.expires and s.expires <= least + linger_millis then
    return s.expires, true
  end
  return least + linger_millis, false
end

local function read_string(s, tag, format)
  local value = redis.call('GET', s.key)
  if not value then
    s.newest = 0
    return nil
  end
  if #value ~= struct.size(format) or value:byte(1) ~= tag then
    error('not the state of a ' .. s.algorithm .. ' limit: ' .. s.key)
  end
  local _, newest, expires, x, y = struct.unpack(format, value)
  s.newest, s.expires = newest, expires
  return x, y
end

local function write_string(s, tag, format, now, wait, x, y)
  local expires, kept = expiry(s, now + wait)
  s.newest, s.expires = now, expires
  local value = struct.pack(format, tag, now, expires, x, y)
  if kept then
    redis.call('SET', s.key, value, 'KEEPTTL')
  else
    redis.call('SET', s.key, value, 'PXAT', string.format('%.0f', expires))
  end
end
