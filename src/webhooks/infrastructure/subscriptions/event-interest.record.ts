import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `event_interests`: how many webhooks subscribe to such events. It outlives the last one by a day. */
@Entity({ name: 'event_interests' })
export class EventInterestRecord {
  @PrimaryColumn({ type: 'text' })
  event: string;

  @PrimaryColumn({ type: 'text' })
  audience: string;

  @Column({ type: 'integer' })
  webhooks: number;

  @Column({ type: 'bigint', name: 'changed_at', transformer: AS_NUMBER })
  changedAtMs: number;
}
