-- acquire_log: acquires permits of a log; a part of batch. See sliding_log for the layout.
-- USES    key, permits of each request, count of requests, so_far: how many fit under the limits before this one; dry:
--         whether to look only
-- SETS    admitted: how many fit, none if the rule must decide: if more than the field h is needed, or it holds records
--         of both kinds, or time went backwards for one of several limits; x, y, z: the reply; or failure
if not prepared then
  prepared, cell = true, extra == 0 and 1 or math.ceil(window / extra)
  linger = linger_millis + math.floor(window * linger_share)
  width, modulus, record, read, write, read_total, write_total =
    4, 4294967296, '<I4', '<BddI2I4I4', '<BddI2I4c0I4', '<BddI2I4I4I4', '<BddI2I4I4c0I4I4'
  if window + cell > 1099511627776 then
    width, modulus, record, read, write, read_total, write_total =
      6, 281474976710656, '<I6', '<BddI2I4I6', '<BddI2I4c0I6', '<BddI2I4I4I6', '<BddI2I4I4c0I6I4'
  elseif window + cell > 4294967296 then
    width, modulus, record, read, write, read_total, write_total =
      5, 1099511627776, '<I5', '<BddI2I4I5', '<BddI2I4c0I5', '<BddI2I4I4I5', '<BddI2I4I4c0I5I4'
  end
end
local h = try('HGET', key, 'h')
local bytes = h and #h - 23 or 1 -- of an error, which is a table, the length is 0
repeat
  if bytes <= 0 then
    failure = type(h) == 'table' and h or STATE_ERROR
    break
  end
  local kind = h and byte(h)

  -- One permit each of an exact log, in which every record is one.
  if permits == 1 and extra == 0 and (kind == LOG or count == 1 and not h) then
    local _, newest, expires, front, sealed, oldest
    local used, gone, in_h, own, retry, left = 0, 0, 0, count, 0, window
    if h then
      if bytes % width ~= 0 then
        failure = STATE_ERROR
        break
      end
      _, newest, expires, front, sealed, oldest = unpack(read, h)
      if now < newest then
        if limits > 1 then
          break
        end
        now = newest
      end
      in_h = bytes / width
      left = window - (now - newest) -- of the life of a record as old as the newest time
      if (newest - oldest) % modulus >= left then
        local reach = sealed > 0 and front or in_h
        gone = left > 0 and 1 or reach
        while gone < reach and (newest - unpack(record, h, 24 + gone * width)) % modulus >= left do
          gone = gone + 1
        end
      end
      used = sealed + in_h - gone
      if used + count > capacity then
        own = used < capacity and capacity - used or 0
        local last = gone + used + own - capacity -- from 0: the record that must go for another permit to fit
        if sealed > 0 and last >= front then
          break
        end
        retry = last < in_h and left - (newest - unpack(record, h, 24 + last * width)) % modulus or window
      end
      if sealed > 0 and gone == front then
        break -- what matters is in a block
      end
    else
      expires, front, sealed = 0, 0, 0
    end
    local fits = own < so_far and own or so_far
    if fits > 8 then
      break -- one weighted record takes less room, now and for what comes
    end
    front = front > gone and front - gone or 0
    if (in_h - gone - front + fits) * width > block_bytes then
      if front > 0 or sealed > 0 or fits * width > block_bytes then
        break
      end
      front = in_h - gone
    end
    if dry then
      admitted = fits
      break
    end
    if fits == 0 then
      admitted, x, y, z = 0, used, own == 0 and retry or 0, 0
      if used > 0 then
        z = left - (newest - unpack(record, h, #h - width + 1)) % modulus
      end
      break
    end
    local least = now + window
    least = (least - least % 1000) / 1000 + 2
    local kept = least <= expires and expires <= least + linger
    if not kept then
      expires = least + linger
    end
    local low, records = now % modulus, h and sub(h, 24 + gone * width) or ''
    if fits > 1 then
      records = records .. string.rep(pack(record, low), fits - 1)
    end
    local written = try('HSET', key, 'h', pack(write, LOG, now, expires, front, sealed, records, low))
    if written ~= 0 and written ~= 1 then
      failure = written
      break
    end
    if not kept then
      call('PEXPIREAT', key, format('%.0f', expires))
    end
    admitted, x, y, z = fits, used + fits, fits == own and retry or 0, window
    break
  end

  -- Any number of permits, where every record carries the total so far.
  if not h or kind == LOG + 3 or kind == LOG + 2 and bytes > 4 and unpack('<I2', h, 18) == 0 then
    local step = width + 4
    local _, newest, expires, front, sealed, before, oldest = nil, now, 0, 0, 0, 0, 0
    local used, gone, in_h, own, retry = 0, 0, 0, count, 0
    if h then
      if bytes <= 4 or (bytes - 4) % step ~= 0 then
        failure = STATE_ERROR
        break
      end
      _, newest, expires, front, sealed, before, oldest = unpack(read_total, h)
      if now < newest then
        if limits > 1 then
          break
        end
        now = newest
      end
      in_h = (bytes - 4) / step
    end
    local last_date = newest - newest % cell + cell - 1
    local left = last_date + window - now -- of the life of a record of the last date
    local reach = sealed > 0 and front or in_h
    if h then
      if (last_date - oldest) % modulus >= left then
        gone = left > 0 and 1 or reach
        while gone < reach and (last_date - unpack(record, h, 28 + gone * step)) % modulus >= left do
          gone = gone + 1
        end
        before = unpack('<I4', h, 24 + gone * step)
      end
      used = (unpack('<I4', h, #h - 3) - before) % 4294967296
      if sealed > 0 and gone >= front then
        break
      end
    end
    local dated = now - now % cell + cell - 1
    if used + permits * count > capacity then
      own = permits > 0 and used < capacity and math.floor((capacity - used) / permits) or 0
      if permits <= capacity then
        local over, last = used + permits * (own + 1) - capacity, gone
        while last < reach and (unpack('<I4', h, 28 + last * step + width) - before) % 4294967296 < over do
          last = last + 1
        end
        if last < reach then
          retry = left - (last_date - unpack(record, h, 28 + last * step)) % modulus
        elseif sealed > 0 then
          break
        else
          retry = dated + window - now
        end
      end
    end
    local fits = own < so_far and own or so_far
    local charged = permits * fits
    front = front > gone and front - gone or 0
    local low, back = dated % modulus, in_h - gone - front
    local merges = back > 0 and unpack(record, h, #h - step + 1) == low
    if charged > 0 and not merges and (back + 1) * step > block_bytes then
      if front > 0 or sealed > 0 then
        break
      end
      front = back
    end
    if dry then
      admitted = fits
      break
    end
    if charged == 0 then
      admitted, x, y, z = fits, used, fits == own and retry or 0, 0
      if used > 0 then
        z = left - (last_date - unpack(record, h, #h - step + 1)) % modulus
      end
      break
    end
    local last_end = dated + window
    local least = (last_end - last_end % 1000) / 1000 + 2
    local kept = least <= expires and expires <= least + linger
    if not kept then
      expires = least + linger
    end
    local records = h and sub(h, 28 + gone * step, merges and -step - 1 or -1) or ''
    local written = try('HSET', key, 'h', pack(write_total, front > 0 and LOG + 3 or LOG + 2, now, expires, front, sealed,
      before, records, low, (before + used + charged) % 4294967296))
    if written ~= 0 and written ~= 1 then
      failure = written
      break
    end
    if not kept then
      call('PEXPIREAT', key, format('%.0f', expires))
    end
    admitted, x, y, z = fits, used + charged, fits == own and retry or 0, last_end - now
  end
until true
