import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import {
  Clock,
  type DomainEvent,
  Outbox,
  RepeatedTask,
  toJson,
  type Transaction,
  UnitOfWork,
} from '@animal-store/kernel';
import { DeliveriesDue, RANKS } from '../../domain/delivery.js';
import { DeliveryRepository, type NewDeliveries } from '../../domain/delivery.repository.js';
import { EVERYBODY, EventTypes, newEvent } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { type Subscriber, WebhookRepository } from '../../domain/webhook.repository.js';
import { fallenBehind } from '../../domain/webhook.js';
import { EventInterests, WebhookSettings } from './event-interests.js';

const DELAY_MS = 1_000;
/** How long an event waits for others, as those of a step share a transaction. */
const GATHERING_MS = 50;
/** The accounts of a turn, after which everybody's events have theirs. */
const ACCOUNTS_A_TURN = 20;
const EVENTS_A_STEP = 200;
/** On SQLite every other write waits for a step. */
const DELIVERIES_A_STEP = 1_000;

/**
 * Reads each second who subscribes to which events, stores those that an account may read in the transactions that
 * cause them, and makes a delivery of each stored one for each such webhook. Accounts take turns, their own events
 * before everybody's, so that many events do not delay another account's order.
 */
@Injectable()
export class FanOutEvents implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly task: RepeatedTask;
  /** The account at which the turn before ended. */
  private after = EVERYBODY;
  private refreshedAtMs = -Infinity;
  private workedAtMs: number;
  /** With the clock of a test no events are fanned out by themselves. */
  private isStarted = false;
  /** An event was committed since the latest step began. */
  private isWoken = false;
  private isStopping = false;
  private readonly wakeOnCommit = () => this.wake();

  constructor(
    private readonly types: EventTypes,
    private readonly events: EventRepository,
    private readonly interests: EventInterests,
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly settings: WebhookSettings,
    private readonly clock: Clock,
  ) {
    this.workedAtMs = clock.monotonicMs();
    this.task = new RepeatedTask({
      step: () => this.step(),
      delayAfterFailureMs: DELAY_MS,
      onFailing: (cause) => this.logger.error('Events cannot be fanned out.', cause),
      onWorking: () => this.logger.log('Events can be fanned out again.'),
    });
  }

  onModuleInit(): Promise<void> {
    return this.task.run();
  }

  onApplicationBootstrap(): void {
    this.isStarted = this.clock.isReal;
    this.wake();
  }

  /** The database closes next. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.task.stop();
  }

  wants(name: string): boolean {
    return this.interests.hasAny(name);
  }

  record(event: DomainEvent, transaction: Transaction): Promise<void> | undefined {
    const type = this.types.find(event.name);
    const audience = type?.accountOf?.(event) ?? EVERYBODY;
    if (type === undefined || !this.interests.has(event.name, audience)) return undefined;
    transaction.onCommit(this.wakeOnCommit);
    const stored = newEvent(type, audience, toJson(type.dataOf(event)), this.clock.now());
    return this.events.add(stored, transaction);
  }

  /** Polls soon. */
  private wake(): void {
    if (!this.isStarted || this.isWoken) return;
    this.isWoken = true;
    this.task.start(GATHERING_MS);
  }

  /** How long ago a step has worked, which one does each second. */
  get idleSeconds(): number {
    return (this.clock.monotonicMs() - this.workedAtMs) / 1_000;
  }

  /** For tests: does all that there is to do. */
  async runDue(): Promise<void> {
    while (await this.fanOutBatch());
  }

  /** @returns the delay before the next step */
  private async step(): Promise<number> {
    this.isWoken = false;
    const nowMs = this.clock.monotonicMs();
    if (!this.isStarted || nowMs - this.refreshedAtMs >= DELAY_MS) {
      await this.interests.refresh();
      this.refreshedAtMs = nowMs;
    }
    const hasMore = this.isStarted && (await this.fanOutBatch());
    this.workedAtMs = this.clock.monotonicMs();
    return hasMore || this.isWoken ? 0 : DELAY_MS;
  }

  /**
   * @returns whether there may be more to do
   * @throws what the events of an audience have failed with, when those of all have
   */
  private async fanOutBatch(): Promise<boolean> {
    const audiences = await this.events.openAudiences(this.after, ACCOUNTS_A_TURN);
    const accounts = audiences.filter((audience) => audience !== EVERYBODY);
    const isLastTurn = accounts.length < ACCOUNTS_A_TURN;
    const hadTurns = this.after !== EVERYBODY;
    this.after = isLastTurn ? EVERYBODY : accounts.at(-1)!;
    let hasMore = !isLastTurn || hadTurns;
    const failures: unknown[] = [];
    for (const audience of audiences) {
      if (this.isStopping) return false;
      await this.unitOfWork.deferred
        .run((transaction) => this.fanOutSome(audience, transaction))
        .then(
          (hasMoreOfIt) => (hasMore ||= hasMoreOfIt),
          (error: unknown) => failures.push(error),
        );
    }
    if (failures.length > 0 && failures.length === audiences.length) throw failures[0];
    for (const cause of failures) this.logger.error('Events cannot be fanned out.', cause);
    return hasMore;
  }

  /** @returns whether there may be more of this audience */
  private async fanOutSome(audience: string, transaction: Transaction): Promise<boolean> {
    const open = await this.events.lockOpen(audience, EVENTS_A_STEP, transaction);
    if (open.length === 0) return false;
    const { type, fannedOutUpTo } = open[0]!;
    const step = await this.webhooks.lockSubscribers({ type, audience }, fannedOutUpTo, transaction);
    const most = Math.max(1, Math.floor(DELIVERIES_A_STEP / Math.max(1, step.webhooks.length)));
    const alike = open
      .filter((event) => event.type === type && event.fannedOutUpTo === fannedOutUpTo)
      .slice(0, most);
    const eventIds = alike.map(({ id }) => id);
    const isFull = ({ pending }: Subscriber) => pending + eventIds.length > this.settings.mostPending;
    const notified = step.webhooks.filter((webhook) => !isFull(webhook));
    const rank = audience === EVERYBODY ? RANKS.everybodys : RANKS.own;
    if (notified.length > 0) await this.addDeliveries({ eventIds, rank }, notified, transaction);
    for (const webhook of step.webhooks.filter(isFull)) await this.disable(webhook, transaction);
    await this.events.advance(eventIds, step.after, transaction);
    return step.after !== null || alike.length < open.length || open.length === EVENTS_A_STEP;
  }

  private async addDeliveries(
    events: Pick<NewDeliveries, 'eventIds' | 'rank'>,
    webhooks: readonly Subscriber[],
    transaction: Transaction,
  ): Promise<void> {
    const atMs = this.clock.now();
    const webhookIds = webhooks.map(({ id }) => id);
    await this.deliveries.addEach({ ...events, webhookIds, atMs }, transaction);
    await this.webhooks.addPending(webhookIds, events.eventIds.length, transaction);
    const due = webhooks.map(({ id, pausedUntilMs }) => ({
      id,
      delayMs: Math.max(0, (pausedUntilMs ?? 0) - atMs),
    }));
    await this.outbox.add(new DeliveriesDue(due), transaction);
  }

  /** Its pending deliveries end in the background. */
  private async disable({ account, id }: Subscriber, transaction: Transaction): Promise<void> {
    const webhook = await this.webhooks.findOneBy({ account, id }, transaction);
    await this.webhooks.save(fallenBehind(webhook!, this.clock.now()), transaction);
    await this.outbox.add(new DeliveriesDue([{ id }]), transaction);
  }
}
