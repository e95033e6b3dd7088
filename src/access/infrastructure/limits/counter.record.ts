import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `rate_limit_usage`: what survives a restart of the counts of a subject and the ban of a caller. */
@Entity({ name: 'rate_limit_usage' })
export class CounterRecord {
  /** The storage key of a caller: accounts and addresses have counts, keys and addresses bans. */
  @PrimaryColumn({ type: 'text' })
  subject: string;

  /** UTC day, counted from the Unix epoch. */
  @Column({ type: 'bigint', transformer: AS_NUMBER })
  day: number;

  @Column({ type: 'bigint', name: 'day_count', transformer: AS_NUMBER })
  dayCount: number;

  /** Milliseconds since the Unix epoch; 0 when no ban is remembered. */
  @Column({ type: 'bigint', name: 'ban_until', transformer: AS_NUMBER })
  banUntilMs: number;

  /** How long the last ban lasts or lasted, in milliseconds. */
  @Column({ type: 'bigint', name: 'ban_ms', transformer: AS_NUMBER })
  banMs: number;

  /** How many refused requests led to the last ban; null or 0 when unknown. */
  @Column({ type: 'bigint', name: 'ban_refusals', nullable: true, transformer: AS_NUMBER })
  banRefusals: number | null;
}
