import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Clock, RepeatedTask } from '@animal-store/kernel';
import { EventInterests } from '../../domain/event.repository.js';
import { WebhookChangeRecord } from './webhook-change.record.js';
import { WebhookSubscriptionRecord } from './webhook-subscription.record.js';

const INTERVAL_MS = 1_000;
/** Without a reading for this time every event is announced, as somebody may want it. */
const TRUSTED_MS = 5_000;

/** Whether all events are stored, also those that no webhook is told of. */
export abstract class EventsKept {
  abstract readonly always: boolean;
}

/** What this server has read of the subscriptions. It reads every second whether they have changed, and applies its own at once. */
@Injectable()
export class PolledInterests extends EventInterests implements OnModuleInit, OnModuleDestroy {
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
    private readonly kept: EventsKept,
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

  hasAny(type: string): boolean {
    return this.audiences.has(type) || this.kept.always || !this.isTrusted();
  }

  has(type: string, audience: string): boolean {
    return this.audiences.get(type)?.has(audience) === true || this.kept.always || !this.isTrusted();
  }

  /** For what this server has committed. */
  added(type: string, audience: string): void {
    this.ownChanges++;
    this.note(type, audience);
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
