import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Clock, RepeatedTask } from '@animal-store/kernel';
import type { Webhook } from '../../domain/webhook.js';
import { EVERYBODY, type WebhookEvent } from '../../domain/webhook-event.js';
import { WebhookInterests } from '../../domain/webhook-interests.js';
import { WebhookChangeRecord } from './webhook-change.record.js';
import { WebhookSubscriptionRecord } from './webhook-subscription.record.js';

const INTERVAL_MS = 1_000;
/** Without a reading for this time every event is announced, as somebody may want it. */
const TRUSTED_MS = 5_000;

/** The account whose events of this name a webhook gets; EVERYBODY for those that every account gets. */
export function audienceOf(event: WebhookEvent, account: string): string {
  return event.startsWith('order.') ? account : EVERYBODY;
}

/** What this server has read of the subscriptions. It reads every second whether they have changed, and applies its own at once. */
@Injectable()
export class PolledInterests extends WebhookInterests implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Webhooks');
  private readonly statements: ReturnType<typeof interestStatements>;
  private readonly task: RepeatedTask;
  /** Of each event, whose. */
  private audiences = new Map<string, Set<string>>();
  private version: bigint | null = null;
  private ownChanges = 0;
  private readAtMs = -Infinity;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.statements = interestStatements(database.background);
    this.task = new RepeatedTask({
      step: () => this.read(),
      restAfterFailureMs: INTERVAL_MS,
      onFailing: (cause) => this.logger.error('Subscriptions cannot be read.', cause),
      onWorking: () => this.logger.log('Subscriptions can be read again.'),
    });
  }

  onModuleInit(): Promise<void> {
    return this.task.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.task.stop();
  }

  hasAny(event: WebhookEvent): boolean {
    return this.audiences.has(event) || !this.isTrusted();
  }

  has(event: WebhookEvent, audience: string): boolean {
    return this.audiences.get(event)?.has(audience) === true || !this.isTrusted();
  }

  /** For what this server has committed. */
  added({ account, events }: Pick<Webhook, 'account' | 'events'>): void {
    this.ownChanges++;
    for (const event of events) this.note(event, audienceOf(event, account));
  }

  private isTrusted(): boolean {
    return this.clock.monotonicMs() - this.readAtMs <= TRUSTED_MS;
  }

  private note(event: string, audience: string): void {
    const known = this.audiences.get(event);
    if (known) known.add(audience);
    else this.audiences.set(event, new Set([audience]));
  }

  private async read(): Promise<number> {
    const { version, all } = this.statements;
    const beganMs = this.clock.monotonicMs();
    const changes = this.ownChanges;
    const current = (await version.getOne({}))?.version ?? 0n;
    if (current !== this.version) {
      const rows = await all.getMany({});
      // What this server has committed meanwhile may be missing.
      if (this.ownChanges !== changes) return 0;
      this.audiences = new Map();
      for (const { event, audience } of rows) this.note(event, audience);
      this.version = current;
    }
    this.readAtMs = beganMs;
    return INTERVAL_MS;
  }
}

function interestStatements(database: Database) {
  return {
    version: database
      .statements(WebhookChangeRecord, 'change')
      .select((change) => change.where('change.id = 1')),
    all: database
      .statements(WebhookSubscriptionRecord, 'subscription')
      .except('It reads all of them, once for each change.')
      .select<object, Pick<WebhookSubscriptionRecord, 'event' | 'audience'>>((subscription) =>
        subscription.select(['subscription.event', 'subscription.audience']).distinct(),
      ),
  };
}
