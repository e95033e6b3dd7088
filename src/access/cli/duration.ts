import { DAY_MS } from '@animal-store/kernel';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const DURATION = /^(\d{1,9})([smhd])$/;
/** A century. Nobody needs more, and every resulting date can still be written. */
const MAX_MS = 36_525 * DAY_MS;

/** The milliseconds of a duration such as `90d` or `24h`; null when the text is not a duration of at most a century. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (!count) return null;
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms <= MAX_MS ? ms : null;
}
