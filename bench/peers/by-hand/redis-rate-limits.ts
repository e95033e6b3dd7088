import { Redis } from 'ioredis';
import * as limits from './rate-limits.js';

/** By the time of Redis. A request that changes nothing but its counts writes only these. */
const COUNT = `
local f = redis.call('HMGET', KEYS[1], 'minuteStart', 'minuteCount', 'day', 'dayCount', 'refusals', 'banUntil')
for i = 1, 6 do f[i] = tonumber(f[i] or 0) end
local minuteStart, minuteCount, day, dayCount, refusals, banUntil = unpack(f)
local perMinute, perDay, time = tonumber(ARGV[1]), tonumber(ARGV[2]), redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(now / ${limits.DAY_MS})
local isNew = now - minuteStart >= ${limits.MINUTE_MS} or day ~= today
if day ~= today then day, dayCount = today, 0 end
if now - minuteStart >= ${limits.MINUTE_MS} then minuteStart, minuteCount, refusals = now, 0, 0 end
local refused = banUntil > now or minuteCount >= perMinute or dayCount >= perDay
if not refused then
  minuteCount, dayCount = minuteCount + 1, dayCount + 1
elseif banUntil <= now then
  refusals = refusals + 1
  if refusals >= math.max(${limits.MIN_REFUSALS}, perMinute / 2) then banUntil = now + ${limits.BAN_MS} end
end
redis.call('HSET', KEYS[1], 'minuteCount', minuteCount, 'dayCount', dayCount)
if isNew or refused then
  redis.call('HSET', KEYS[1], 'minuteStart', minuteStart, 'day', day, 'refusals', refusals, 'banUntil', banUntil)
  redis.call('PEXPIRE', KEYS[1], ${2 * limits.DAY_MS})
end
return { refused and 1 or 0, now, minuteStart, minuteCount, day, dayCount, banUntil }`;
/** Of a plan without a limit a day: Lua knows no Infinity. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

type Counted = [refused: number, nowMs: number, ...counter: [number, number, number, number, number]];
type ScriptedRedis = Redis & {
  count(key: string, perMinute: number, perDay: number): Promise<Counted>;
};

/** One script a request; those of a turn are sent together. */
export class RedisRateLimits implements limits.RateLimits {
  private readonly redis: ScriptedRedis;

  constructor(url: string) {
    this.redis = new Redis(url, { enableAutoPipelining: true }) as ScriptedRedis;
    this.redis.on('error', (error) => console.error(error.message));
    this.redis.defineCommand('count', { numberOfKeys: 1, lua: COUNT });
  }

  async decide(counter: limits.Counter, plan: limits.Plan): Promise<limits.Verdict> {
    const perDay = Math.min(plan.perDay, NO_LIMIT);
    const counted = await this.redis.count(`by-hand:${counter.subject}`, plan.perMinute, perDay);
    const [refused, nowMs, minuteStartMs, minuteCount, day, dayCount, banUntilMs] = counted;
    Object.assign(counter, { minuteStartMs, minuteCount, day, dayCount, banUntilMs });
    return limits.verdict(counter, plan, nowMs, refused === 1);
  }
}
