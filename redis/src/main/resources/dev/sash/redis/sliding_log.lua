-- sliding_log: the permits admitted in (now - W, now], exactly, or rounded up to cells
--
-- STATE  a hash. The field h holds the oldest and the newest records, numbered fields the blocks between them:
--
--          h                        1      2          n
--          [ header | front | back ]  [ block ] [ block ] ...      time runs: front, blocks, back
--
--        A log of few records is h alone, read and written whole: one read and one write per request. A long log too
--        is decided by h, until its back is full and becomes a block, or its front is used up and the next block
--        takes its place: once in some sixty requests. Nothing is ever copied whole, however long the log, so no
--        request takes long; blocks that fall out of use are deleted a few at a time.
--
--        A record is the date of a charge to its low 32, 40 or 48 bits, as many as a window and a cell need, and is
--        read back as an age before the newest date. As long as every request asks for one permit, permits are
--        counted by counting records. A request for more makes the back a weighted one: its records carry in 32 bits
--        more the running total of permits, which wraps around; only differences count. Blocks are weighted or not
--        each on its own, and begin with the total before them; front and back are both weighted, or neither is,
--        which spares acquire_log the other cases. So every question is a search in ordered records: how much has
--        expired, and when enough will have.
--
--        With c cells a charge is dated to the last microsecond of its cell, of length W/c: it may be released late,
--        never early. Charges of one cell share a record. The exact log is that of cells one microsecond long.
--
--        h      tag and flags, newest time, expiry in milliseconds, records in front, permits in blocks,
--               if there is a flag the total before the first record, then the records
--        m      if there are blocks: number of the first, of the last + 1, of the first and the last + 1 that may
--               still be there, number of records before the back
--        block  1 if weighted, total before it, number of records before it, then the records
-- TTL    the newest record and a window, or as long as nothing is charged
local FRONT_WEIGHTED, BACK_WEIGHTED, EMPTY = 1, 2, 4
local TOTALS = 4294967296
local spread = table.unpack or _G.unpack

-- Records in a text; total is the running total before the first of them.
local function part(log, text, at, bytes, weighted, total)
  local stride = weighted and log.width + 4 or log.width
  return { text = text, at = at, n = bytes / stride, weighted = weighted, stride = stride, total = total }
end

local function records(p)
  return p.text:sub(p.at, p.at + p.n * p.stride - 1)
end

local function date(log, p, i)
  local low = unpack(log.format, p.text, p.at + (i - 1) * p.stride)
  return log.last_date - (log.last_date - low) % log.modulus
end

-- The running total after a record, or before the first for 0.
local function total(p, i)
  if p.weighted and i > 0 then
    return (unpack('<I4', p.text, p.at + i * p.stride - 4))
  end
  return (p.total + i) % TOTALS
end

local function date_of(log, time)
  return time - time % log.cell + log.cell - 1
end

-- The parts in the order of time are numbered: the front, the blocks from first, the back is last.
local function part_at(log, number)
  if number < log.first then
    return log.front
  elseif number == log.last then
    return log.back
  end
  local block = log.blocks[number]
  if not block then
    local text = call('HGET', log.key, format('%.0f', number))
    check(text and #text > 9)
    local weighted, before, index = unpack('<BI4I4', text)
    block = part(log, text, 10, #text - 9, weighted == 1, before)
    check(block.n % 1 == 0)
    block.index = index
    log.blocks[number] = block
  end
  return block
end

local function open_log(key, window, cells)
  local cell = cells == 0 and 1 or math.ceil(window / cells)
  local log = { key = key, window = window, cell = cell, merges = cells > 0, blocks = {} }
  if window + cell <= 4294967296 then
    log.width, log.modulus, log.format = 4, 4294967296, '<I4'
  elseif window + cell <= 1099511627776 then
    log.width, log.modulus, log.format = 5, 1099511627776, '<I5'
  else
    log.width, log.modulus, log.format = 6, 281474976710656, '<I6'
  end
  log.newest, log.expires, log.sealed = 0, 0, 0
  log.first, log.last, log.oldest_kept, log.newest_kept, log.index = 1, 1, 1, 1, 0
  local h = call('HGET', key, 'h')
  if h then
    check(#h >= 23)
    local tag, front_n, at, before
    tag, log.newest, log.expires, front_n, log.sealed, at = unpack('<BddI2I4', h)
    local flags = tag - LOG
    check(flags >= 0 and flags <= EMPTY and (flags == 0 or #h >= 27))
    if log.sealed > 0 then
      local m = call('HGET', key, 'm')
      check(m and #m == 20)
      log.first, log.last, log.oldest_kept, log.newest_kept, log.index = unpack('<I4I4I4I4I4', m)
    end
    log.had_blocks = log.sealed > 0
    local front_weighted, back_weighted = flags % 2 == 1, flags % 4 >= 2
    if flags > 0 then
      before, at = unpack('<I4', h, at)
    else
      before = log.sealed > 0 and part_at(log, log.first).total - front_n or 0
    end
    local front_bytes = front_n * (front_weighted and log.width + 4 or log.width)
    log.front = part(log, h, at, front_bytes, front_weighted, before % TOTALS)
    local back_before = total(log.front, front_n) + log.sealed
    log.back = part(log, h, at + front_bytes, #h - at - front_bytes + 1, back_weighted, back_before % TOTALS)
    check(log.back.n >= 0 and log.back.n % 1 == 0)
  else
    log.front = part(log, '', 1, 0, false, 0)
    log.back = part(log, '', 1, 0, false, 0)
  end
  log.last_date = date_of(log, log.newest)
  return log
end

-- Finds the oldest record that still counts: its part and its number there, one behind the last if there is none.
local function find_live(log, now)
  local dead = now - log.window
  local at, past = log.first - 1, log.last + 1
  local front = log.front
  if front.n == 0 or date(log, front, front.n) <= dead then
    -- The last part that begins with a dead record; the next one, mostly, does not.
    if log.back.n == 0 then
      past = log.last
    end
    if past > log.first and date(log, part_at(log, log.first), 1) > dead then
      past = log.first
    end
    while past - at > 1 do
      local middle = math.floor((at + past) / 2)
      if date(log, part_at(log, middle), 1) <= dead then
        at = middle
      else
        past = middle
      end
    end
  end
  local p = part_at(log, at)
  local low, high = 0, p.n + 1 -- dead, not dead
  local step = 1
  while low + step < high and date(log, p, low + step) <= dead do
    low, step = low + step, step * 2
  end
  high = math.min(high, low + step)
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if date(log, p, middle) <= dead then
      low = middle
    else
      high = middle
    end
  end
  if high > p.n and at < log.last then
    return at + 1, 1
  end
  return at, high
end

-- Where the live records begin, and how many permits they stand for.
local function look(log, now)
  if log.looked ~= now then
    log.looked = now
    log.live, log.live_i = find_live(log, now)
    log.live_total = total(part_at(log, log.live), log.live_i - 1)
    log.used = (total(log.back, log.back.n) - log.live_total) % TOTALS
  end
  return log.used
end

-- The first live record with which so many permits are reached, 1 to used: its part and its number there.
local function find_permit(log, permits)
  local at, past = log.live, log.last + 1
  while past - at > 1 do
    local middle = math.floor((at + past) / 2)
    if (part_at(log, middle).total - log.live_total) % TOTALS < permits then
      at = middle
    else
      past = middle
    end
  end
  local p = part_at(log, at)
  if not p.weighted then
    return at, (permits + log.live_total - p.total) % TOTALS
  end
  local low, high = at == log.live and log.live_i - 1 or 0, p.n
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if (total(p, middle) - log.live_total) % TOTALS < permits then
      low = middle
    else
      high = middle
    end
  end
  return at, high
end

local function log_wait(log, now, most)
  local used = look(log, now)
  if used <= most then
    return 0
  end
  local at, i = find_permit(log, used - most)
  return date(log, part_at(log, at), i) + log.window - now
end

local function log_records(log, now)
  look(log, now)
  if log.live == log.last then
    return log.back.n - log.live_i + 1
  end
  local in_blocks = log.first < log.last and (log.index - part_at(log, log.first).index) % TOTALS or 0
  local before = log.live < log.first and 0
    or (part_at(log, log.live).index - part_at(log, log.first).index) % TOTALS
  local in_front = log.live < log.first and log.front.n or 0
  return in_front + in_blocks - before - log.live_i + 1 + log.back.n
end

local function cut_front(p, n)
  p.total = total(p, n)
  p.at, p.n = p.at + n * p.stride, p.n - n
end

-- Begins a new hash: Redis frees the old one in the background.
local function no_blocks(log)
  log.renewed = log.had_blocks
  log.first, log.last, log.oldest_kept, log.newest_kept, log.index, log.sealed = 1, 1, 1, 1, 0, 0
end

local function drop_dead(log, now)
  look(log, now)
  local at, i = log.live, log.live_i
  if at == log.last then
    cut_front(log.back, i - 1)
    log.front = part(log, '', 1, 0, false, log.back.total)
    no_blocks(log)
  elseif at < log.first then
    cut_front(log.front, i - 1)
  else
    log.front = part_at(log, at)
    cut_front(log.front, i - 1)
    log.first = at + 1
    log.sealed = (log.back.total - total(log.front, log.front.n)) % TOTALS
    if log.sealed == 0 then
      no_blocks(log)
    end
  end
  log.looked = nil
end

local function make_weighted(log, p)
  if p.weighted then
    return p
  end
  local weighted, width = {}, log.width
  for i = 1, p.n do
    local at = p.at + (i - 1) * width
    weighted[i] = p.text:sub(at, at + width - 1) .. pack('<I4', total(p, i))
  end
  local text = table.concat(weighted)
  return part(log, text, 1, #text, true, p.total)
end

-- Takes the totals from records of one permit each, which is half of their size.
local function lighten(log, p)
  if not p.weighted or log.merges or (total(p, p.n) - p.total) % TOTALS ~= p.n then
    return p
  end
  local dates, width = {}, log.width
  for i = 1, p.n do
    local at = p.at + (i - 1) * p.stride
    dates[i] = p.text:sub(at, at + width - 1)
  end
  local text = table.concat(dates)
  return part(log, text, 1, #text, false, p.total)
end

-- The full back becomes a block, or the front if nothing is before it.
local function seal(log, weighted)
  local back = lighten(log, log.back)
  local after = total(back, back.n)
  if log.front.n == 0 then
    log.front = back
  else
    log.block = pack('<BI4I4', back.weighted and 1 or 0, back.total, log.index) .. records(back)
    log.sealed = log.sealed + (after - back.total) % TOTALS
    log.last, log.index = log.last + 1, (log.index + back.n) % TOTALS
    log.newest_kept = math.max(log.newest_kept, log.last)
  end
  log.back = part(log, '', 1, 0, weighted, after)
end

-- Deletes some of the blocks that are not in use any more.
local function delete_some(log)
  local unused = {}
  while log.oldest_kept < log.first and #unused < deleted_at_once do
    unused[#unused + 1] = format('%.0f', log.oldest_kept)
    log.oldest_kept = log.oldest_kept + 1
  end
  while log.newest_kept > log.last and #unused < deleted_at_once do
    log.newest_kept = log.newest_kept - 1
    unused[#unused + 1] = format('%.0f', log.newest_kept)
  end
  if #unused > 0 then
    call('HDEL', log.key, spread(unused))
  end
end

local function write_log(log, now)
  if log.front.n > 0 and log.front.weighted ~= log.back.weighted then
    log.front, log.back = lighten(log, log.front), lighten(log, log.back)
    if log.front.weighted ~= log.back.weighted then
      log.front, log.back = make_weighted(log, log.front), make_weighted(log, log.back)
    end
  end
  local front, back = log.front, log.back
  local ends = back.n > 0 and date(log, back, back.n) + log.window or now
  local kept
  log.expires, kept = expiry(log.renewed and 0 or log.expires, ends, log.window)
  local flags = back.n == 0 and EMPTY
    or (front.weighted and FRONT_WEIGHTED or 0) + (back.weighted and BACK_WEIGHTED or 0)
  local before = flags > 0 and pack('<I4', front.n > 0 and front.total or back.total) or ''
  local h = pack('<BddI2I4', LOG + flags, now, log.expires, front.n, log.sealed)
    .. before .. records(front) .. records(back)
  if log.renewed then
    call('UNLINK', log.key)
  end
  if log.sealed == 0 then
    call('HSET', log.key, 'h', h)
  else
    delete_some(log)
    local m = pack('<I4I4I4I4I4', log.first, log.last, log.oldest_kept, log.newest_kept, log.index)
    if log.block then
      call('HSET', log.key, 'h', h, 'm', m, format('%.0f', log.last - 1), log.block)
    else
      call('HSET', log.key, 'h', h, 'm', m)
    end
  end
  if not kept then
    call('PEXPIREAT', log.key, format('%.0f', log.expires))
  end
  log.block, log.renewed, log.had_blocks, log.blocks, log.changed = nil, false, log.sealed > 0, {}, false
end

-- To be called after every change. A new block, or a new hash, does not wait: there may be another one later.
local function change_log(log, now)
  log.newest, log.last_date, log.looked, log.changed = now, date_of(log, now), nil, true
  if log.block or log.renewed then
    write_log(log, now)
  end
end

local function log_charge(log, now, permits)
  drop_dead(log, now)
  local back, dated = log.back, date_of(log, now)
  local after = pack('<I4', (total(back, back.n) + permits) % TOTALS)
  local text
  if back.weighted and back.n > 0 and date(log, back, back.n) == dated then
    text = records(back):sub(1, -5) .. after
  else
    if (back.n + 1) * back.stride > block_bytes then
      seal(log, permits > 1 or log.merges)
      back = log.back
    end
    if permits > 1 or log.merges then
      back = make_weighted(log, back)
    end
    text = records(back) .. pack(log.format, dated % log.modulus) .. (back.weighted and after or '')
  end
  log.back = part(log, text, 1, #text, back.weighted, back.total)
  change_log(log, now)
end

local function log_give_back(log, now, permits)
  drop_dead(log, now)
  local left = look(log, now) - permits
  if left <= 0 then
    log.front = part(log, '', 1, 0, false, 0)
    log.back = part(log, '', 1, 0, false, 0)
    no_blocks(log)
  else
    local at, i = find_permit(log, left)
    local p = part_at(log, at)
    p.n = i
    local text = records(p)
    if p.weighted then
      text = text:sub(1, -5) .. pack('<I4', (log.live_total + left) % TOTALS)
    end
    log.back = part(log, text, 1, #text, p.weighted, p.total)
    if at < log.first then
      log.front = part(log, '', 1, 0, false, p.total)
      no_blocks(log)
    elseif at < log.last then
      log.last, log.index = at, p.index
      log.sealed = (p.total - total(log.front, log.front.n)) % TOTALS
      if log.sealed == 0 then
        no_blocks(log)
      end
    end
  end
  change_log(log, now)
end
