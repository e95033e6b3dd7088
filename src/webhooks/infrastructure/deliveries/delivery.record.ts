import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { DeliveryStatus } from '../../domain/delivery.js';

/** A row of `webhook_deliveries`. Its properties are those of the domain, but for the event. */
@Entity({ name: 'webhook_deliveries' })
export class DeliveryRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint', name: 'webhook_id' })
  webhookId: bigint;

  @Column({ type: 'bigint', name: 'event_id' })
  eventId: bigint;

  @Column({ type: 'integer' })
  rank: number;

  @Column({ type: 'text' })
  status: DeliveryStatus;

  @Column({ type: 'integer' })
  attempts: number;

  @Column({ type: 'bigint', name: 'next_attempt_at', nullable: true, transformer: AS_NUMBER })
  nextAttemptAtMs: number | null;

  @Column({ type: 'integer', name: 'response_status', nullable: true })
  responseStatus: number | null;

  @Column({ type: 'text', nullable: true })
  problem: string | null;

  @Column({ type: 'bigint', name: 'began_at', transformer: AS_NUMBER })
  startedAtMs: number;

  @Column({ type: 'bigint', name: 'ended_at', nullable: true, transformer: AS_NUMBER })
  endedAtMs: number | null;
}
