import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { Delivery, DeliveryStatus } from '../../domain/delivery.js';

/** A row of `webhook_deliveries`. Its properties are those of the domain. */
@Entity({ name: 'webhook_deliveries' })
export class DeliveryRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint', name: 'webhook_id' })
  webhookId: bigint;

  @Column({ type: 'text', name: 'event_id' })
  eventId: string;

  @Column({ type: 'text' })
  event: Delivery['event'];

  @Column({ type: 'text' })
  body: string;

  @Column({ type: 'text' })
  status: DeliveryStatus;

  @Column({ type: 'integer' })
  tries: number;

  @Column({ type: 'bigint', name: 'next_try_at', nullable: true, transformer: AS_NUMBER })
  nextTryAtMs: number | null;

  @Column({ type: 'integer', name: 'response_status', nullable: true })
  responseStatus: number | null;

  @Column({ type: 'text', nullable: true })
  problem: string | null;

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  @Column({ type: 'bigint', name: 'began_at', transformer: AS_NUMBER })
  beganAtMs: number;

  @Column({ type: 'bigint', name: 'ended_at', nullable: true, transformer: AS_NUMBER })
  endedAtMs: number | null;
}
