-- acquire_log: the usual request in a straight line: permits of one log. See sliding_log for the layout.
-- KEYS     1 the log
-- ARGV     1 five doubles: permits | tag of the algorithm | limit | window in microseconds | cells
--          2 none here; other operations have their name there
-- RETURNS  doubles in a string: 1 allowed or 0 | used | retry_after | reset_after, in microseconds
-- Whatever needs more than the field h, or finds records of both kinds in it, is left to the rule.
if not ARGV[2] then
  local call, unpack, pack, key = redis.call, struct.unpack, struct.pack, KEYS[1]
  local permits, _, limit, window, cells = unpack('<ddddd', ARGV[1])
  local cell = cells == 0 and 1 or math.ceil(window / cells)
  local width, modulus, record, read = 4, 4294967296, '<I4', '<BddI2I4I4I4'
  if window + cell > 1099511627776 then
    width, modulus, record, read = 6, 281474976710656, '<I6', '<BddI2I4I4I6'
  elseif window + cell > 4294967296 then
    width, modulus, record, read = 5, 1099511627776, '<I5', '<BddI2I4I4I5'
  end
  local now, tag, expires, front, sealed, base = clock, EMPTY_LOG, 0, 0, 0, 0
  local newest, oldest = now, 0
  local h = call('HGET', key, 'h')
  if h then
    tag, newest, expires, front, sealed, base, oldest = unpack(read, h)
    if now < newest then
      now = newest
    end
  end
  local weighted, size, gone, used = tag == WEIGHTED_LOG, 0, 0, 0
  local step = weighted and width + 4 or width
  local last_date = newest - newest % cell + cell - 1
  local left = last_date + window - now -- of the life of a record of the last date
  local usual = true
  if weighted or tag == LOG then
    size = (#h - 27) / step
    if (last_date - oldest) % modulus >= left then
      local reach = sealed > 0 and front or size
      gone = left > 0 and 1 or reach
      while gone < reach and (last_date - unpack(record, h, 28 + gone * step)) % modulus >= left do
        gone = gone + 1
      end
      base = weighted and unpack('<I4', h, 24 + gone * step) or (base + gone) % 4294967296
    end
    used = weighted and (unpack('<I4', h, #h - 3) - base) % 4294967296 or sealed + size - gone
    usual = sealed == 0 or gone < front
  elseif tag ~= EMPTY_LOG then
    usual = false
  end

  if usual and used + permits <= limit then
    if permits == 0 then
      local reset = used > 0 and left - (last_date - unpack(record, h, #h - step + 1)) % modulus or 0
      return pack('<dddd', 1, used, 0, reset)
    end
    local dated = now - now % cell + cell - 1
    local low, back = dated % modulus, 0
    if used == 0 then
      weighted, front = cells > 0 or permits > 1, 0
    else
      front = front > gone and front - gone or 0
      back = size - gone - front
      usual = weighted or permits == 1
    end
    local text
    if weighted and back > 0 and unpack(record, h, #h - step + 1) == low then
      text = h:sub(28 + gone * step, -5)
    elseif back == 0 then
      text = pack(record, low)
    else
      text = h:sub(28 + gone * step) .. pack(record, low)
      if (back + 1) * step > block_bytes then
        usual = usual and front == 0 and sealed == 0
        front = back
      end
    end
    if usual then
      local ends = dated + window
      local least = (ends - ends % 1000) / 1000 + 2
      local kept = least <= expires and expires <= least + linger_millis
      if not kept then
        expires = least + linger_millis
      end
      if weighted then
        text = pack('<BddI2I4I4', WEIGHTED_LOG, now, expires, front, sealed, base)
          .. text .. pack('<I4', (base + used + permits) % 4294967296)
      else
        text = pack('<BddI2I4I4', LOG, now, expires, front, sealed, base) .. text
      end
      call('HSET', key, 'h', text)
      if not kept then
        call('PEXPIREAT', key, string.format('%.0f', expires))
      end
      return pack('<dddd', 1, used + permits, 0, ends - now)
    end
  elseif usual then
    local last = gone + used + permits - limit - 1 -- counted from 0: the record that must go for the request to fit
    local reach = sealed > 0 and front or size
    if permits > limit then
      last = 0
    elseif weighted then
      last = gone
      while last < reach and (unpack('<I4', h, 28 + last * step + width) - base) % 4294967296 < used + permits - limit do
        last = last + 1
      end
    end
    if last < reach or size == 0 then
      local reset = used > 0 and left - (last_date - unpack(record, h, #h - step + 1)) % modulus or 0
      local retry = permits <= limit and left - (last_date - unpack(record, h, 28 + last * step)) % modulus or 0
      return pack('<dddd', 0, used, retry, reset)
    end
  end
end
