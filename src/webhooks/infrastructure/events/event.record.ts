import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `events`. Its properties are those of the domain. */
@Entity({ name: 'events' })
export class EventRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text', name: 'event_id' })
  eventId: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'text', collation: 'C' })
  audience: string;

  @Column({ type: 'text' })
  body: string;

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  /** The name of the column is that of a released version. */
  @Column({ type: 'bigint', name: 'told_up_to', nullable: true })
  fannedOutUpTo: bigint | null;

  @Column({ type: 'text', nullable: true })
  cause: string | null;
}
