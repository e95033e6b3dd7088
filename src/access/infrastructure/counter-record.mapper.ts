import type { SavedCounter } from '@animal-store/rate-limiting';
import type { CounterRecord } from './counter.record.js';

export function toSavedCounter({ subject, day, dayCount, banUntilMs, banMs }: CounterRecord): SavedCounter {
  return {
    subject,
    day: Number(day),
    dayCount: Number(dayCount),
    banUntilMs: Number(banUntilMs),
    banMs: Number(banMs),
  };
}

export function toCounterRecord({ subject, day, dayCount, banUntilMs, banMs }: SavedCounter): CounterRecord {
  return {
    subject,
    day: BigInt(day),
    dayCount: BigInt(dayCount),
    banUntilMs: BigInt(banUntilMs),
    banMs: BigInt(banMs),
  };
}
