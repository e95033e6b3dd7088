import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A row of `rate_limit_usage`: what of a caller's counts has to survive a restart. */
@Entity({ name: 'rate_limit_usage' })
@Index('rate_limit_usage_day', ['day', 'subject'])
@Index('rate_limit_usage_ban_until', ['banUntilMs'])
export class UsageRecord {
  /** A key id, or an address without a key. */
  @PrimaryColumn({ type: 'text' })
  subject: string;

  /** UTC day, counted from the Unix epoch. */
  @Column({ type: 'bigint' })
  day: bigint;

  @Column({ type: 'bigint', name: 'day_count' })
  dayCount: bigint;

  /** Milliseconds since the Unix epoch; 0 when there is no ban to remember. */
  @Column({ type: 'bigint', name: 'ban_until' })
  banUntilMs: bigint;

  /** How long the last ban was made, in milliseconds. */
  @Column({ type: 'bigint', name: 'ban_ms' })
  banMs: bigint;
}
