const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})([smhd])$/;
/** A century: nobody means more, and every date stays one that can be written. */
const MAX_MS = 36_525 * UNIT_MS.d;

/** The milliseconds that e.g. `90d` or `24h` spells, or null when it spells no duration of at most a century. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (!count) return null;
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms <= MAX_MS ? ms : null;
}
