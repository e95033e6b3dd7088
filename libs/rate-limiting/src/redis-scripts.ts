import { DAY_GRACE_MS, DAY_MS, MINUTE_MS } from './plan-window.js';
import type { BanRules } from './rate-plan.js';
import { TOLERANCE_MS } from './steady-time.js';

/** The fields of a subject's hash, in the order in which scripts and commands ask for them. */
export const FIELDS = [
  'minuteStart',
  'minuteCount',
  'day',
  'dayCount',
  'dayBefore',
  'refusalStart',
  'refusals',
  'banUntil',
  'banMs',
] as const;

/**
 * `count` of plan-window.ts in Lua, statement by statement; one contract suite holds the two together.
 *
 * The time never goes back, as with SteadyTime: each caller says where time has to be by now, going by what it was told
 * before and by how much has passed since. When the server's clock is behind that, it has stepped back; by how much is
 * written down for all callers, also those that begin later, until the clock is right again.
 *
 * KEYS[1] the subject's hash, KEYS[2] how far time is ahead of the clock. ARGV: now in milliseconds, or '' for the time of
 * the server · perMinute · perDay, or '' · where time has to be, or '' · the time that the caller was told last · cost.
 * Returns: refused (0 or 1) · now · minuteStart · minuteUsed · dayUsed · the end of the ban in force or 0 · banMs ·
 * whether the ban began with this request (0 or 1) · how far now is ahead of the clock.
 */
export function consumeScript(bans: BanRules): string {
  return `
local clock = tonumber(ARGV[1])
if not clock then
  local time = redis.call('TIME')
  clock = time[1] * 1000 + math.floor(time[2] / 1000)
end
local ahead = tonumber(redis.call('GET', KEYS[2]) or 0)
local expected = tonumber(ARGV[4])
if expected and clock >= expected - ${TOLERANCE_MS} then
  if ahead > 0 then redis.call('DEL', KEYS[2]) end
  ahead = math.max(0, ARGV[5] - clock)
elseif expected and math.abs(clock + ahead - expected) > ${TOLERANCE_MS} then
  ahead = expected - clock
  redis.call('SET', KEYS[2], ahead, 'PX', ${DAY_MS})
end
local now = clock + ahead
local perMinute, perDay, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[6])

local f = redis.call('HMGET', KEYS[1], '${FIELDS.join("','")}')
local minuteStart, minuteCount = tonumber(f[1] or 0), tonumber(f[2] or 0)
local day, dayCount, dayBefore = tonumber(f[3] or 0), tonumber(f[4] or 0), tonumber(f[5] or 0)
local refusalStart, refusals = tonumber(f[6] or 0), tonumber(f[7] or 0)
local banUntil, banMs = tonumber(f[8] or 0), tonumber(f[9] or 0)

local moved = false
if now - minuteStart < -${MINUTE_MS} then
  minuteStart = now
  moved = true
end

local today = math.floor(now / ${DAY_MS})
local days = today - day
if days > 0 then
  dayBefore = days == 1 and dayCount or 0
  dayCount = 0
  day = today
  moved = true
elseif days < -1 then
  dayCount = math.max(dayCount, dayBefore)
  dayBefore = dayCount
  day = today
  moved = true
end

if banUntil - banMs > now then
  banUntil = now + banMs
  moved = true
end

local minuteUsed = now - minuteStart < ${MINUTE_MS} and minuteCount or 0
local dayUsed = today == day and dayCount or dayBefore
local refused = banUntil > now
local banBegan = 0
if not refused then
  refused = minuteUsed + cost > perMinute or (perDay and dayUsed + cost > perDay) or false
  if refused then
    local age = now - refusalStart
    if age >= ${MINUTE_MS} or age < -${MINUTE_MS} then refusals = 0 end
    if refusals == 0 then refusalStart = now end
    refusals = refusals + 1
    moved = true
    if refusals >= ${bans.minRefusals} and refusals >= perMinute / 2 then
      local isFurther = banMs ~= 0 and now - (banUntil - banMs) < ${bans.memoryMs}
      banMs = math.min(isFurther and banMs * 2 or ${bans.firstBanMs}, ${bans.longestBanMs})
      banUntil = now + banMs
      refusals = 0
      banBegan = 1
    end
  else
    if minuteUsed == 0 then
      minuteStart = now
      moved = true
    end
    minuteUsed = minuteUsed + cost
    minuteCount = minuteUsed
    if perDay then
      dayUsed = dayUsed + cost
      if today == day then dayCount = dayUsed else dayBefore = dayUsed end
    end
  end
end

if moved then
  redis.call('HSET', KEYS[1], 'minuteStart', minuteStart, 'minuteCount', minuteCount, 'day', day,
    'dayCount', dayCount, 'dayBefore', dayBefore)
  local keepUntil = math.max(minuteStart, now) + ${MINUTE_MS}
  if perDay then keepUntil = math.max(keepUntil, (day + 1) * ${DAY_MS} + ${DAY_GRACE_MS}) end
  if refusals > 0 or banMs > 0 then
    redis.call('HSET', KEYS[1], 'refusalStart', refusalStart, 'refusals', refusals,
      'banUntil', banUntil, 'banMs', banMs)
    keepUntil = math.max(keepUntil, banUntil, banUntil - banMs + ${bans.memoryMs})
  end
  redis.call('PEXPIRE', KEYS[1], keepUntil - now)
elseif not refused then
  redis.call('HSET', KEYS[1], 'minuteCount', minuteCount, 'dayCount', dayCount, 'dayBefore', dayBefore)
end

if minuteUsed == 0 then minuteStart = now end
local bannedUntil = banUntil > now and banUntil or 0
return { refused and 1 or 0, now, minuteStart, minuteUsed, dayUsed, bannedUntil, banMs, banBegan, ahead }
`;
}

/** `liftBan` of plan-window.ts. KEYS as above. ARGV[1]: when it was lifted, in milliseconds. */
export const LIFT_BAN_SCRIPT = `
local ahead = tonumber(redis.call('GET', KEYS[2]) or 0)
local f = redis.call('HMGET', KEYS[1], 'banUntil', 'banMs')
if f[1] and f[1] - f[2] <= ARGV[1] + ahead then
  redis.call('HDEL', KEYS[1], 'refusalStart', 'refusals', 'banUntil', 'banMs')
end
return 0
`;
