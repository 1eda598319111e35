-- acquire_log: the usual requests in a straight line: permits of one log. See sliding_log for the layout.
-- KEYS     1 the log
-- ARGV     1 five doubles: permits | tag of the algorithm | limit | window in microseconds | cells
--          2 none here; other operations have their name there
-- RETURNS  doubles in a string: 1 allowed or 0 | used | retry_after | reset_after, in microseconds
-- Whatever needs more than the field h, or finds records of both kinds in it, is left to the rule.
if not ARGV[2] then
  local call, unpack, pack, key = redis.call, struct.unpack, struct.pack, KEYS[1]
  local permits, _, limit, window, cells = unpack('<ddddd', ARGV[1])
  local h = call('HGET', key, 'h')
  local tag = h and h:byte(1)

  -- One permit of an exact log, in which every record is one.
  if permits == 1 and cells == 0 and (not h or tag == LOG) then
    local width, modulus, record, read, write = 4, 4294967296, '<I4', '<BddI2I4I4', '<BddI2I4c0I4'
    if window >= 1099511627776 then
      width, modulus, record, read, write = 6, 281474976710656, '<I6', '<BddI2I4I6', '<BddI2I4c0I6'
    elseif window >= 4294967296 then
      width, modulus, record, read, write = 5, 1099511627776, '<I5', '<BddI2I4I5', '<BddI2I4c0I5'
    end
    local now, expires, front, sealed, size, gone, left = clock, 0, 0, 0, 0, 0, window
    local newest, oldest = now, 0
    if h then
      check_state(#h > 23 and (#h - 23) % width == 0)
      _, newest, expires, front, sealed, oldest = unpack(read, h)
      if now < newest then
        now = newest
      end
      size = (#h - 23) / width
      left = window - (now - newest) -- of the life of a record as old as the newest time
      if (newest - oldest) % modulus >= left then
        local reach = sealed > 0 and front or size
        gone = left > 0 and 1 or reach
        while gone < reach and (newest - unpack(record, h, 24 + gone * width)) % modulus >= left do
          gone = gone + 1
        end
      end
    end
    local used = sealed + size - gone
    local last = gone + used - limit -- counted from 0: the record that must go for one permit to fit
    if sealed > 0 and (gone == front or last >= front) then
      used = nil -- what matters is in a block
    elseif used >= limit then
      local last_age = (newest - unpack(record, h, 24 + last * width)) % modulus
      local back_age = (newest - unpack(record, h, #h - width + 1)) % modulus
      return pack('<dddd', 0, used, left - last_age, left - back_age)
    else
      front = front > gone and front - gone or 0
      local back = size - gone - front
      if (back + 1) * width > block_bytes then
        if front == 0 and sealed == 0 then
          front = back
        else
          used = nil
        end
      end
    end
    if used then
      local least = (now + window - (now + window) % 1000) / 1000 + 2
      local kept = least <= expires and expires <= least + linger_millis
      if not kept then
        expires = least + linger_millis
      end
      local records = h and h:sub(24 + gone * width) or ''
      call('HSET', key, 'h', pack(write, LOG, now, expires, front, sealed, records, now % modulus))
      if not kept then
        call('PEXPIREAT', key, string.format('%.0f', expires))
      end
      return pack('<dddd', 1, used + 1, 0, window)
    end

  -- Any number of permits, where every record carries the total so far.
  elseif not h or tag == LOG + 3 or tag == LOG + 2 and #h > 27 and unpack('<I2', h, 18) == 0 then
    local cell = cells == 0 and 1 or math.ceil(window / cells)
    local width, modulus, record, read = 4, 4294967296, '<I4', '<BddI2I4I4I4'
    if window + cell > 1099511627776 then
      width, modulus, record, read = 6, 281474976710656, '<I6', '<BddI2I4I4I6'
    elseif window + cell > 4294967296 then
      width, modulus, record, read = 5, 1099511627776, '<I5', '<BddI2I4I4I5'
    end
    local step = width + 4
    local now, expires, front, sealed, before, size, gone, used = clock, 0, 0, 0, 0, 0, 0, 0
    local newest, oldest = now, 0
    if h then
      check_state(#h > 27 and (#h - 27) % step == 0)
      _, newest, expires, front, sealed, before, oldest = unpack(read, h)
      if now < newest then
        now = newest
      end
      size = (#h - 27) / step
    end
    local last_date = newest - newest % cell + cell - 1
    local left = last_date + window - now -- of the life of a record of the last date
    local reach = sealed > 0 and front or size
    if h then
      if (last_date - oldest) % modulus >= left then
        gone = left > 0 and 1 or reach
        while gone < reach and (last_date - unpack(record, h, 28 + gone * step)) % modulus >= left do
          gone = gone + 1
        end
        before = unpack('<I4', h, 24 + gone * step)
      end
      used = (unpack('<I4', h, #h - 3) - before) % 4294967296
    end
    local here = sealed == 0 or gone < front

    if here and permits > 0 and used + permits <= limit then
      local dated = now - now % cell + cell - 1
      local low, records = dated % modulus, h and h:sub(28 + gone * step) or ''
      front = front > gone and front - gone or 0
      local back = size - gone - front
      if back > 0 and unpack(record, h, #h - step + 1) == low then
        records = records:sub(1, -step - 1)
      elseif (back + 1) * step > block_bytes then
        here = front == 0 and sealed == 0
        front = back
      end
      if here then
        local ends = dated + window
        local least = (ends - ends % 1000) / 1000 + 2
        local kept = least <= expires and expires <= least + linger_millis
        if not kept then
          expires = least + linger_millis
        end
        tag = front > 0 and LOG + 3 or LOG + 2
        records = records .. pack(record, low) .. pack('<I4', (before + used + permits) % 4294967296)
        call('HSET', key, 'h', pack('<BddI2I4I4', tag, now, expires, front, sealed, before) .. records)
        if not kept then
          call('PEXPIREAT', key, string.format('%.0f', expires))
        end
        return pack('<dddd', 1, used + permits, 0, ends - now)
      end
    elseif here then
      local allowed, over, retry, last = 1, used + permits - limit, 0, gone
      if over > 0 then
        allowed = 0
        if permits <= limit then
          while last < reach and (unpack('<I4', h, 28 + last * step + width) - before) % 4294967296 < over do
            last = last + 1
          end
          retry = last < reach and left - (last_date - unpack(record, h, 28 + last * step)) % modulus
        end
      end
      if retry then
        local reset = used > 0 and left - (last_date - unpack(record, h, #h - step + 1)) % modulus or 0
        return pack('<dddd', allowed, used, retry, reset)
      end
    end
  end
end
