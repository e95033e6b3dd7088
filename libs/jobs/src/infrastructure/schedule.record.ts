import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `job_schedules`: when a kind of job is added next. */
@Entity({ name: 'job_schedules' })
export class ScheduleRecord {
  @PrimaryColumn({ type: 'text' })
  kind: string;

  /** The rule that the code declares. */
  @Column({ type: 'text' })
  rule: string;

  @Column({ type: 'bigint', name: 'next_at', transformer: AS_NUMBER })
  nextAtMs: number;

  /** When `nextAtMs` was computed. If that is later than now, a clock was wrong. */
  @Column({ type: 'bigint', name: 'saved_at', transformer: AS_NUMBER })
  savedAtMs: number;
}
