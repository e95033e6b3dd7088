import { DAY_MS } from '@animal-store/kernel';
import { DAY_GRACE_MS } from '../stores/plan-window.js';
import { type BanRules, MINUTE_MS } from '../rate-plan.js';
import { TOLERANCE_MS } from '../stores/steady-time.js';

/** The fields of a subject's hash, in the order in which scripts and commands ask for them. */
const FIELDS =
  'minuteStart minuteCount day dayCount dayBefore refusalStart refusals banUntil banMs banRefusals listUntil'.split(
    ' ',
  );

/** Of each request: perMinute or false, perDay or false, the cost, and the windows of a list or false. */
export type AskedOfRedis = (number | false | readonly (number | string)[])[];

/** What the script that counts returns: for each subject what was counted, or why it cannot be. */
export type ConsumeReply = [now: number, skew: number, ...subjects: (CountedInRedis[] | string)[]];

/**
 * A request as the script has counted it. Its outcome is 0 for allowed, 1 for refused, 2 for refused with a ban that
 * begins. Times in milliseconds go by now, which has fewer digits than by the epoch; no ban in force has 0 left.
 */
export type CountedInRedis = [
  outcome: number,
  minuteAgeMs: number,
  minuteUsed: number,
  dayUsed: number,
  banLeftMs: number,
  banMs: number,
  ...ageAndCountOfEachWindow: number[],
];

/**
 * Where it is stored how far time is ahead of the clock: under a key of its own, which each call names before those of the
 * subjects, or in a cluster in the hash of the one subject of a call.
 */
const AHEAD = {
  key: {
    read: "redis.call('GET', KEYS[1])",
    write: `redis.call('SET', KEYS[1], ahead, 'PX', ${DAY_MS})`,
    clear: "redis.call('DEL', KEYS[1])",
    firstSubject: 2,
  },
  hash: {
    read: "redis.call('HGET', KEYS[1], 'ahead')",
    write: "redis.call('HSET', KEYS[1], 'ahead', ahead)",
    clear: "redis.call('HDEL', KEYS[1], 'ahead')",
    firstSubject: 1,
  },
} as const;

const readAhead = (place: keyof typeof AHEAD) => `local ahead = tonumber(${AHEAD[place].read} or 0)`;

/**
 * The pure function `count` in Lua, statement by statement; one contract suite holds the two together. One call decides
 * all requests of a turn of the event loop: the time is found once, each subject is read and written once, and its
 * requests are decided one after the other.
 *
 * The time never goes back, as with SteadyTime: each caller says where time has to be by now, going by what it was told
 * before and by how much has passed since. When the server's clock is behind that, it has stepped back; by how much is
 * written down for all callers, also those that begin later, until the clock is right again or nobody has called for a day.
 *
 * Redis lets a key expire by its clock. So while that is behind, a key lives longer by as much, or it would be gone as soon as
 * the clock is right again. One of a plan without a day, an address, lives a day longer at most: there may be any number of these.
 *
 * A subject that cannot be counted, as its key holds something else, fails alone: others are counted already.
 *
 * In a cluster, a call has one key, the hash of one subject: a second one would be refused while its slot moves to another
 * node, unless both are on the same one already. So how far time is ahead of the clock is a field of the hash.
 *
 * KEYS[1] how far time is ahead of the clock, except in a cluster; the others the hashes of the subjects. ARGV[1] is JSON, which both sides
 * read and write faster than many values: now in milliseconds, or false for the time of the server · where time has to
 * be, or false · the time that the caller was told last, or false · for each subject a list of its requests: perMinute or
 * false, perDay or false, cost, windows or false, perMinute, … The windows are those of a list: how many refusals a
 * minute lead to a ban, and of each window its key, its limit, its length in milliseconds, and 1 if it is the day. Such a window
 * is a field of the hash, `w:key`, with its start, its count and its length; `listUntil` is when the last of them ends.
 * Returns, as JSON: now · how far now is ahead of the clock · for each subject a list with a `CountedInRedis` for each of its
 * requests, or a text that says why it failed.
 */
export function consumeScript(bans: BanRules, place: keyof typeof AHEAD): string {
  const { firstSubject } = AHEAD[place];
  return `
local given = cjson.decode(ARGV[1])
local clock, expected, latest = given[1], given[2], given[3]
if not clock then
  local time = redis.call('TIME')
  clock = time[1] * 1000 + math.floor(time[2] / 1000)
end
${readAhead(place)}
if expected and clock >= expected - ${TOLERANCE_MS} then
  if ahead > 0 then ${AHEAD[place].clear} end
  ahead = math.max(0, latest - clock)
elseif expected then
  if math.abs(clock + ahead - expected) > ${TOLERANCE_MS} then ahead = expected - clock end
  ${AHEAD[place].write}
end
local now = clock + ahead
local today = math.floor(now / ${DAY_MS})

local function consume(key, requests)
  local f = redis.call('HMGET', key, '${FIELDS.join("','")}')
  local minuteStart, minuteCount = tonumber(f[1] or 0), tonumber(f[2] or 0)
  local day, dayCount, dayBefore = tonumber(f[3] or 0), tonumber(f[4] or 0), tonumber(f[5] or 0)
  local refusalStart, refusals = tonumber(f[6] or 0), tonumber(f[7] or 0)
  local banUntil, banMs = tonumber(f[8] or 0), tonumber(f[9] or 0)
  local listUntil = tonumber(f[11] or 0)

  local days = today - day
  local moved = now - minuteStart < -${MINUTE_MS} or days > 0 or days < -1 or banUntil - banMs > now
  if now - minuteStart < -${MINUTE_MS} then minuteStart = now end
  if days > 0 then
    dayBefore = days == 1 and dayCount or 0
    dayCount = 0
    day = today
  elseif days < -1 then
    dayCount = math.max(dayCount, dayBefore)
    dayBefore = dayCount
    day = today
  end
  if banUntil - banMs > now then banUntil = now + banMs end

  local listed, changed = {}, false
  for i = 4, #requests, 4 do
    local list = requests[i]
    for j = 2, list and #list or 0, 4 do
      local name = list[j]
      if not listed[name] then
        local start, count = string.match(redis.call('HGET', key, 'w:' .. name) or '0 0', '^(%S+) (%S+)')
        start = tonumber(start)
        if now - start < -list[j + 2] then
          start = now
          changed = true
        end
        listed[name] = { start, tonumber(count), list[j + 2] }
      end
    end
  end

  local decisions = {}
  local counted, expireMs, banRefusals = false, nil, nil
  for i = 1, #requests, 4 do
    local perMinute, perDay, cost, list = requests[i], requests[i + 1], requests[i + 2], requests[i + 3]
    local listEnd = list and #list or 0
    local minuteUsed = now - minuteStart < ${MINUTE_MS} and minuteCount or 0
    local dayUsed = today == day and dayCount or dayBefore
    local outcome = 1
    if banUntil <= now then
      local isFull = (perMinute and minuteUsed + cost > perMinute) or (perDay and dayUsed + cost > perDay)
      for j = 2, listEnd, 4 do
        local window = listed[list[j]]
        if now - window[1] >= window[3] then window[2] = 0 end
        isFull = isFull or window[2] + cost > list[j + 1]
      end
      if isFull then
        local age = now - refusalStart
        if age >= ${MINUTE_MS} or age < -${MINUTE_MS} then refusals = 0 end
        if refusals == 0 then refusalStart = now end
        refusals = refusals + 1
        moved = true
        if refusals >= ${bans.minRefusals} and refusals >= (list and list[1] or perMinute / 2) then
          local isFurther = banMs ~= 0 and now - (banUntil - banMs) < ${bans.memoryMs}
          banMs = math.min(isFurther and banMs * 2 or ${bans.firstBanMs}, ${bans.longestBanMs})
          banUntil = now + banMs
          banRefusals = refusals
          refusals = 0
          outcome = 2
        end
      else
        if perMinute then
          if minuteUsed == 0 then
            minuteStart = now
            moved = true
          end
          minuteUsed = minuteUsed + cost
          minuteCount = minuteUsed
        end
        for j = 2, listEnd, 4 do
          local window = listed[list[j]]
          if window[2] == 0 then
            window[1] = list[j + 3] == 1 and today * ${DAY_MS} or now
            listUntil = math.max(listUntil, window[1] + window[3])
            moved = true
          end
          window[2] = window[2] + cost
          changed = true
        end
        if perDay then
          dayUsed = dayUsed + cost
          if today == day then dayCount = dayUsed else dayBefore = dayUsed end
        end
        counted = true
        outcome = 0
      end
    end

    if moved then
      moved = false
      local keepUntil = math.max(minuteStart, now) + ${MINUTE_MS}
      local hasDay = perDay or dayCount > 0 or dayBefore > 0
      if hasDay then keepUntil = math.max(keepUntil, (day + 1) * ${DAY_MS} + ${DAY_GRACE_MS}) end
      keepUntil = math.max(keepUntil, listUntil)
      hasDay = hasDay or listUntil > now + ${MINUTE_MS}
      if refusals > 0 or banMs > 0 then
        keepUntil = math.max(keepUntil, banUntil, banUntil - banMs + ${bans.memoryMs})
      end
      expireMs = keepUntil - now + (hasDay and ahead or math.min(ahead, ${DAY_MS}))
    end

    local age = minuteUsed == 0 and 0 or now - minuteStart
    local decision = { outcome, age, minuteUsed, dayUsed, math.max(0, banUntil - now), banMs }
    for j = 2, listEnd, 4 do
      local window = listed[list[j]]
      local isRunning = now - window[1] < window[3] and window[2] > 0
      decision[#decision + 1] = isRunning and now - window[1] or 0
      decision[#decision + 1] = isRunning and window[2] or 0
    end
    decisions[#decisions + 1] = decision
  end

  if changed then
    local values = { 'listUntil', listUntil }
    for name, window in pairs(listed) do
      values[#values + 1] = 'w:' .. name
      values[#values + 1] = string.format('%.0f %.0f %.0f', window[1], window[2], window[3])
    end
    redis.call('HSET', key, unpack(values))
  end

  if expireMs then
    redis.call('HSET', key, 'minuteStart', minuteStart, 'minuteCount', minuteCount, 'day', day,
      'dayCount', dayCount, 'dayBefore', dayBefore)
    if refusals > 0 or banMs > 0 then
      redis.call('HSET', key, 'refusalStart', refusalStart, 'refusals', refusals,
        'banUntil', banUntil, 'banMs', banMs)
    end
    if banRefusals then redis.call('HSET', key, 'banRefusals', banRefusals) end
    redis.call('PEXPIRE', key, expireMs)
  elseif counted then
    local isToday = today == day
    redis.call('HSET', key, 'minuteCount', minuteCount, isToday and 'dayCount' or 'dayBefore', isToday and dayCount or dayBefore)
  end
  return decisions
end

local reply = { now, ahead }
for i = ${firstSubject}, #KEYS do
  local done, decisions = pcall(consume, KEYS[i], given[i + ${4 - firstSubject}])
  if not done then decisions = type(decisions) == 'table' and decisions.err or tostring(decisions) end
  reply[#reply + 1] = decisions
end
return cjson.encode(reply)
`;
}

/** The pure function `liftBan` in Lua. KEYS as above, with one subject. ARGV[1]: when it was lifted, in milliseconds. */
export function liftBanScript(place: keyof typeof AHEAD): string {
  const key = `KEYS[${AHEAD[place].firstSubject}]`;
  return `
${readAhead(place)}
local f = redis.call('HMGET', ${key}, 'banUntil', 'banMs')
if f[1] and f[1] - f[2] <= ARGV[1] + ahead then
  redis.call('HDEL', ${key}, 'refusalStart', 'refusals', 'banUntil', 'banMs', 'banRefusals')
end
return 0
`;
}
