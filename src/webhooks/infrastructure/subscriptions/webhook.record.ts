import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { DisabledReason, SigningSecret, WebhookStatus } from '../../domain/webhook.js';

/** A row of `webhooks`. Its properties are those of the domain. */
@Entity({ name: 'webhooks' })
export class WebhookRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  account: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'simple-json' })
  events: readonly string[];

  /** Readable, as they sign. */
  @Column({ type: 'simple-json' })
  secrets: readonly SigningSecret[];

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  @Column({ type: 'text', name: 'made_by', nullable: true })
  createdBy: string | null;

  /** Of that name in earlier releases, which stored no maker beside it. */
  @Column({ type: 'text', name: 'created_by', nullable: true })
  ownerKey: string | null;

  @Column({ type: 'text' })
  status: WebhookStatus;

  @Column({ type: 'integer' })
  pending: number;

  @Column({ type: 'bigint', name: 'paused_until', nullable: true, transformer: AS_NUMBER })
  pausedUntilMs: number | null;

  @Column({ type: 'integer' })
  failures: number;

  @Column({ type: 'bigint', name: 'failing_since', nullable: true, transformer: AS_NUMBER })
  failingSinceMs: number | null;

  @Column({ type: 'bigint', name: 'refused_since', nullable: true, transformer: AS_NUMBER })
  refusedSinceMs: number | null;

  @Column({ type: 'bigint', name: 'disabled_at', nullable: true, transformer: AS_NUMBER })
  disabledAtMs: number | null;

  @Column({ type: 'text', name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;
}

/** A row of `webhook_subscriptions`: an event that a webhook is notified of while it is enabled. */
@Entity({ name: 'webhook_subscriptions' })
export class WebhookSubscriptionRecord {
  @PrimaryColumn({ type: 'text' })
  event: string;

  /** The account whose events they are; empty for those of everybody. */
  @PrimaryColumn({ type: 'text' })
  audience: string;

  @PrimaryColumn({ type: 'bigint', name: 'webhook_id' })
  webhookId: bigint;
}

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
