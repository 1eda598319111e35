-- rule: what follows from the states of one or several limits on one key, the same way for every algorithm
-- KEYS     the state of each limit
-- ARGV     1 acquire|refund|inspect | 2 permits | then for each limit: algorithm, capacity, window in microseconds,
--          and cells (sliding-log), refill per window (token-bucket) or 0
-- RETURNS  acquire, refund: {answer, decided_by, used, remaining, retry_after, reset_after}, integers, never nil;
--            answer 1 allowed, 0 denied, -1 never; decided_by counts limits from 1; waits in microseconds.
--            A wait from 2^52 on is told in two parts, high * 2^32 + low: the high parts of retry and reset follow.
--          inspect: {used, records, pttl} for each limit, in one list
local operation, permits = ARGV[1], tonumber(ARGV[2])
local states = {}
local now = clock
for i = 1, #KEYS do
  local at = 4 * i
  local s = {
    key = KEYS[i],
    algorithm = ARGV[at - 1],
    capacity = tonumber(ARGV[at]),
    window = tonumber(ARGV[at + 1]),
    extra = tonumber(ARGV[at + 2]),
  }
  s.run = algorithms[s.algorithm]
  s.run.read(s)
  now = math.max(now, s.newest) -- one time for all: a limit that is new to the key has seen less than another
  states[i] = s
end

if operation == 'inspect' then
  local reply = {}
  for i, s in ipairs(states) do
    reply[3 * i - 2] = s.run.used(s, now)
    reply[3 * i - 1] = s.run.records(s, now)
    reply[3 * i] = redis.call('PTTL', s.key)
  end
  return reply
end

if operation == 'refund' then
  for _, s in ipairs(states) do
    if permits > 0 and s.run.used(s, now) > 0 then
      s.run.give_back(s, now, permits)
    end
  end
  permits = 0
end

local answer, decides, retry, retry_high = 1, nil, 0, 0
for i, s in ipairs(states) do
  if permits > s.capacity then
    answer, decides, retry, retry_high = -1, i, 0, 0
    break
  end
  local low, high = s.run.wait(s, now, s.capacity - permits)
  if high > retry_high or high == retry_high and low > retry then
    answer, decides, retry, retry_high = 0, i, low, high
  end
end
if answer == 1 and permits > 0 then
  for _, s in ipairs(states) do
    s.run.charge(s, now, permits)
  end
end

local nearest, remaining, reset, reset_high = 1, math.huge, 0, 0
for i, s in ipairs(states) do
  s.used = s.run.used(s, now)
  local room = math.max(0, s.capacity - s.used)
  if room < remaining then
    nearest, remaining = i, room
  end
  local low, high = s.run.wait(s, now, 0)
  if high > reset_high or high == reset_high and low > reset then
    reset, reset_high = low, high
  end
end
decides = decides or nearest
local reply = { answer, decides, states[decides].used, remaining, retry, reset }
if retry_high + reset_high > 0 then
  reply[7], reply[8] = retry_high, reset_high
end
return reply
