import type { Outcome, Quota } from './quota.js';

/** What a screen reader reads after each response: how much is left, or the ban. */
export function quotaText({ plan, minute, day, bannedUntilMs }: Quota): string {
  const caller = plan === 'No key' ? 'No key' : `${plan} plan`;
  if (bannedUntilMs !== null) return `${caller}: banned until ${timeOfDay(bannedUntilMs)}`;
  const left = `${grouped(minute.remaining)} of ${grouped(minute.limit)} left this minute`;
  return `${caller}: ${left}${day ? `, ${grouped(day.remaining)} of ${grouped(day.limit)} today` : ''}`;
}

/** How long a window or a ban still lasts: `42 s`, `3 min 20 s`, `6 h 12 min`. */
export function untilText(endMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((endMs - nowMs) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The plot in words. */
export function outcomesText(outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return (
    `The last ${outcomes.length === 1 ? 'request' : `${outcomes.length} requests`}: ` +
    `${count('allowed')} allowed, ${count('refused')} refused, ${count('banned')} banned`
  );
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}
