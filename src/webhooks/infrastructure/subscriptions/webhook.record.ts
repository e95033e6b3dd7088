import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { DisabledReason, SigningSecret } from '../../domain/webhook.js';
import type { WebhookEvent } from '../../domain/webhook-event.js';

const AS_JSON = {
  to: (value: unknown) => JSON.stringify(value),
  from: (text: string) => JSON.parse(text) as unknown,
};

/** A row of `webhooks`. Its properties are those of the domain. */
@Entity({ name: 'webhooks' })
export class WebhookRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  account: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text', transformer: AS_JSON })
  events: readonly WebhookEvent[];

  /** Readable, as they sign. */
  @Column({ type: 'text', transformer: AS_JSON })
  secrets: readonly SigningSecret[];

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  @Column({ type: 'bigint', name: 'wake_at', nullable: true, transformer: AS_NUMBER })
  wakeAtMs: number | null;

  @Column({ type: 'bigint', name: 'planned_at', nullable: true, transformer: AS_NUMBER })
  plannedAtMs: number | null;

  @Column({ type: 'integer' })
  failures: number;

  @Column({ type: 'bigint', name: 'failing_since', nullable: true, transformer: AS_NUMBER })
  failingSinceMs: number | null;

  @Column({ type: 'bigint', name: 'disabled_at', nullable: true, transformer: AS_NUMBER })
  disabledAtMs: number | null;

  @Column({ type: 'text', name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;
}
