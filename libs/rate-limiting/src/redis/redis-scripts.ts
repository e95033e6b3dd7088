import { DAY_MS } from '@animal-store/kernel';
import { type BanRules, counted, MINUTE_MS, type RatePlan, refusalsUntilBan } from '../rate-plan.js';
import type { StoredBan } from '../stores/counter.js';
import { TOLERANCE_MS } from '../stores/steady-time.js';

/** More fields than a subject has without many bans; beyond them expired ones are removed. */
const MANY_FIELDS = 100;
/** The time may be the caller's, which is older than the server's by the time of the call. A key outlives that. */
const SPARE_MS = 3_000;

/** For each subject its requests: of each the index of its plan, its cost and its caller. */
export type RedisArguments = (number | string)[];

/** What the script that counts returns: for each subject what was counted, or why it cannot be. */
export type ConsumeReply = [now: number, skew: number, ...subjects: (CountedInRedis[] | string)[]];

/**
 * A request as the script has counted it. Its outcome is 0 for allowed, 1 for refused, 2 for refused with a ban that
 * begins. Times in milliseconds go by now, which has fewer digits than by the epoch; an ended window or ban has 0 left.
 */
export type CountedInRedis = [
  outcome: number,
  banLeftMs: number,
  banMs: number,
  banRefusals: number,
  ...leftMsAndCountOfEachWindow: number[],
];

/** A plan as the script reads it: the refusals that lead to a ban; of each window key, limit, length, 1 for the day. */
export function planInRedis(plan: RatePlan, bans: BanRules): string {
  const windows = counted(plan).windows.flatMap(({ key, limit, lengthMs, window }) => [
    key,
    limit,
    lengthMs,
    Number(window.seconds === 'day'),
  ]);
  return JSON.stringify([refusalsUntilBan(plan, bans), ...windows]);
}

/**
 * The function `count` in Lua; one contract suite tests both. One call decides all requests of a turn of the event
 * loop: each subject is read and written once, and its requests are decided one after the other.
 *
 * The hash of a subject has for each window the fields `key`, its count, and `key end`, when it ends; for each caller
 * that was refused `ban:caller` with the fields of its penalty; and `until`, when the last of them no longer matters.
 *
 * Time is that of the server and never goes back: each caller sends the expected time, which is the last time returned
 * to it plus the time elapsed. No time is before the beginning of a window, so a used-up window stays closed until its
 * end: a replica that starts while the clock is set back reads the time from what others have counted.
 *
 * Redis expires keys by its clock. While that is set back, a key lives longer by as much: otherwise it would expire as
 * soon as the clock is right again. A key with nothing longer than a minute lives a day longer at most, as there may be
 * any number of these.
 *
 * A subject that cannot be counted, as its key is no hash, fails alone: others are counted already.
 *
 * KEYS are the hashes of the subjects; in a cluster a call has one, as a second one would be refused while its slot
 * moves to another node. ARGV[1] is JSON, which both sides read and write faster than many values: now in milliseconds,
 * or false for the time of the server · the expected time, or false · the last time returned to the caller, or false ·
 * the plans · for each subject its requests. Returns, as JSON: now · how far now is ahead of the clock · for each
 * subject a list with a `CountedInRedis` for each of its requests, or a text that says why it failed.
 */
export function consumeScript(bans: BanRules): string {
  return `
local given = cjson.decode(ARGV[1])
local clock, expected, latest, plans = given[1], given[2], given[3], given[4]
if not clock then
  local time = redis.call('TIME')
  clock = time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = clock
if expected then now = clock >= expected - ${TOLERANCE_MS} and math.max(clock, latest) or expected end

${PARSE}
local function forget(key)
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local penalty = string.sub(all[i], 1, 4) == 'ban:' and parse(all[i + 1])
    if penalty and penalty.ends <= now and now - (penalty.ends - penalty.ms) >= ${bans.memoryMs}
      and now - penalty.since >= ${MINUTE_MS} then redis.call('HDEL', key, all[i]) end
  end
end

local function consume(key, requests)
  local fields, windows, callers = { 'until' }, {}, {}
  for i = 1, #requests, 3 do
    local plan, caller = plans[requests[i]], requests[i + 2]
    for j = 2, #plan, 4 do
      local name = plan[j]
      if not windows[name] then
        windows[name] = { at = #fields, length = plan[j + 2] }
        fields[#fields + 1] = name
        fields[#fields + 1] = name .. ' end'
      end
    end
    if not callers[caller] then
      fields[#fields + 1] = 'ban:' .. caller
      callers[caller] = { at = #fields }
    end
  end
  local f = redis.call('HMGET', key, unpack(fields))
  for _, window in pairs(windows) do
    window.count, window.ends = tonumber(f[window.at + 1] or 0), tonumber(f[window.at + 2] or 0)
    now = math.max(now, window.ends - window.length)
  end
  for caller, penalty in pairs(callers) do
    callers[caller] = parse(f[penalty.at])
    now = math.max(now, callers[caller].ends - callers[caller].ms)
  end

  local decisions, values = {}, {}
  local known = tonumber(f[1] or 0)
  local expiresAt = known
  for i = 1, #requests, 3 do
    local plan, cost, penalty = plans[requests[i]], requests[i + 1], callers[requests[i + 2]]
    local outcome = 1
    if penalty.ends <= now then
      local isFull = false
      for j = 2, #plan, 4 do
        local window = windows[plan[j]]
        if window.ends <= now then window.count = 0 end
        isFull = isFull or window.count + cost > plan[j + 1]
      end
      if isFull then
        if now - penalty.since >= ${MINUTE_MS} then penalty.refusals = 0 end
        if penalty.refusals == 0 then penalty.since = now end
        penalty.refusals = penalty.refusals + 1
        if penalty.refusals >= plan[1] then
          local isFurther = penalty.ms ~= 0 and now - (penalty.ends - penalty.ms) < ${bans.memoryMs}
          penalty.ms = math.min(isFurther and penalty.ms * 2 or ${bans.firstBanMs}, ${bans.longestBanMs})
          penalty.ends, penalty.counted, penalty.refusals = now + penalty.ms, penalty.refusals, 0
          outcome = 2
        end
        penalty.changed = true
        expiresAt = math.max(expiresAt, now + ${MINUTE_MS}, penalty.ends)
        if penalty.ms > 0 then expiresAt = math.max(expiresAt, penalty.ends - penalty.ms + ${bans.memoryMs}) end
      else
        for j = 2, #plan, 4 do
          local window = windows[plan[j]]
          if window.count == 0 then
            window.ends = plan[j + 3] == 1 and (math.floor(now / ${DAY_MS}) + 1) * ${DAY_MS} or now + window.length
            window.begins = true
            expiresAt = math.max(expiresAt, window.ends)
          end
          window.count = window.count + cost
          window.changed = true
        end
        outcome = 0
      end
    end
    local decision = { outcome, math.max(0, penalty.ends - now), penalty.ms, penalty.counted }
    for j = 2, #plan, 4 do
      local window = windows[plan[j]]
      local left = math.max(0, window.ends - now)
      decision[#decision + 1] = left
      decision[#decision + 1] = left > 0 and window.count or 0
    end
    decisions[#decisions + 1] = decision
  end

  for name, window in pairs(windows) do
    if window.changed then
      values[#values + 1] = name
      values[#values + 1] = window.count
    end
    if window.begins then
      values[#values + 1] = name .. ' end'
      values[#values + 1] = window.ends
    end
  end
  for caller, penalty in pairs(callers) do
    if penalty.changed then
      if redis.call('HLEN', key) > ${MANY_FIELDS} then forget(key) end
      values[#values + 1] = 'ban:' .. caller
      values[#values + 1] = string.format('%.0f %.0f %.0f %.0f %.0f',
        penalty.since, penalty.refusals, penalty.ends, penalty.ms, penalty.counted)
    end
  end
  if expiresAt > known then
    values[#values + 1] = 'until'
    values[#values + 1] = expiresAt
  end
  if #values > 0 then redis.call('HSET', key, unpack(values)) end
  if expiresAt > known then
    local grace = expiresAt - now > ${MINUTE_MS} and now - clock or math.min(now - clock, ${DAY_MS})
    redis.call('PEXPIRE', key, expiresAt - now + grace + ${SPARE_MS})
  end
  return decisions
end

local reply = { 0, 0 }
for i = 1, #KEYS do
  local done, decisions = pcall(consume, KEYS[i], given[i + 4])
  if not done then decisions = type(decisions) == 'table' and decisions.err or tostring(decisions) end
  reply[#reply + 1] = decisions
end
reply[1], reply[2] = now, now - clock
return cjson.encode(reply)
`;
}

/** A penalty from its field. */
const PARSE = `
local function parse(text)
  local since, refusals, ends, ms, counted = string.match(text or '0 0 0 0 0', '(%S+) (%S+) (%S+) (%S+) (%S+)')
  return { since = tonumber(since), refusals = tonumber(refusals), ends = tonumber(ends), ms = tonumber(ms),
    counted = tonumber(counted) }
end
`;

/** The ban in such a field. */
export function storedBan(text: string): StoredBan {
  const [, , banUntilMs = 0, banMs = 0, banRefusals = 0] = text.split(' ').map(Number);
  return { banUntilMs, banMs, banRefusals };
}

/** The function `liftBan` in Lua. ARGV[1]: the caller. ARGV[2]: when its ban was lifted, in milliseconds. */
export const LIFT_BAN_SCRIPT = `
${PARSE}
local field = 'ban:' .. ARGV[1]
local penalty = parse(redis.call('HGET', KEYS[1], field))
if penalty.ends - penalty.ms <= tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], field) end
return 0
`;
