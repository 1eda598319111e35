-- acquire_log: the usual request in a straight line: one permit of an exact log. See sliding_log for the layout.
-- KEYS     1 the log
-- ARGV     1 five doubles: permits | tag of the algorithm | limit | window in microseconds | cells
--          2 none here; other operations have their name there
-- RETURNS  {1 allowed or 0, used, retry_after, reset_after}   integers, never nil; microseconds
-- Whatever needs more than the field h, or has records with totals, is left to the rule.
if not ARGV[2] then
  local call, unpack, key = redis.call, struct.unpack, KEYS[1]
  local permits, _, limit, window, cells = unpack('<ddddd', ARGV[1])
  local h = permits == 1 and cells == 0 and call('HGET', key, 'h')
  if permits == 1 and cells == 0 and (not h or h:byte(1) == LOG) then
    local width, modulus, record, read, write = 4, 4294967296, '<I4', '<BddI2I4I4', '<BddI2I4c0I4'
    if window >= 1099511627776 then
      width, modulus, record, read, write = 6, 281474976710656, '<I6', '<BddI2I4I6', '<BddI2I4c0I6'
    elseif window >= 4294967296 then
      width, modulus, record, read, write = 5, 1099511627776, '<I5', '<BddI2I4I5', '<BddI2I4c0I5'
    end
    local now, expires, front, sealed, size, gone, left = clock, 0, 0, 0, 0, 0, window
    local newest, oldest = now, 0
    if h then
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
      return { 0, used, left - last_age, left - back_age }
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
      call('HSET', key, 'h', struct.pack(write, LOG, now, expires, front, sealed, records, now % modulus))
      if not kept then
        call('PEXPIREAT', key, string.format('%.0f', expires))
      end
      return { 1, used + 1, 0, window }
    end
  end
end
