import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The only row of `webhook_changes`. Who changes subscriptions changes it first, so that they wait for one another. */
@Entity({ name: 'webhook_changes' })
export class WebhookChangeRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  /** How many changes there were. */
  @Column({ type: 'bigint' })
  version: bigint;
}
