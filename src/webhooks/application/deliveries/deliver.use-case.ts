import { Injectable } from '@nestjs/common';
import { Clock, Traces, type Transaction, UnitOfWork } from '@animal-store/kernel';
import {
  attempted,
  type Delivery,
  isOverdue,
  kindOf,
  type Outcome,
  OUTCOMES,
  RANKS,
} from '../../domain/delivery.js';
import { DeliveryRepository, type Abandoned } from '../../domain/delivery.repository.js';
import { Receivers } from '../../domain/receivers.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import {
  afterAttempt,
  disabled,
  fallenBehind,
  isPaused,
  nextAttemptAtMs,
  ownedBy,
  type Webhook,
} from '../../domain/webhook.js';
import { type RightsLeft, WebhookRights } from '../webhook-rights.js';
import { DeliverySlots, type SlotOwner } from './delivery-slots.js';

/** The most results that are not stored yet. After a kill these are sent again. */
const MAX_UNSTORED = 20;
/** The longest time before results are stored, so that what is more urgent does not wait for long. */
const UNSTORED_FOR_MS = 1_000;
/** How many of its transactions wait for the database at once, so that events and jobs of others wait for few. */
const WRITES = 5;
/** How long a receiver is served before others have their turn. */
const TURN_MS = 5_000;

/** The owner of the slot of a deleted webhook. */
const NOBODY: SlotOwner = { account: '', url: 'https://nobody.invalid' };

interface Postponed {
  readonly inMs: number;
}

type Attempt = readonly [delivery: Delivery, outcome: Outcome];

/** Sends what is due to a webhook, one delivery after another, and returns when to run again. */
@Injectable()
export class Deliver {
  /** The outcomes of the requests of this process. */
  readonly outcomes = new Map(OUTCOMES.map((kind) => [kind, 0]));
  /** From the events to their arrivals, of all that have arrived. */
  lateSeconds = 0;
  private readonly slots = new DeliverySlots();
  private readonly writes = new DeliverySlots(WRITES, 0);

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly receivers: Receivers,
    private readonly rights: WebhookRights,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @returns when to call it again; nothing when nothing is pending. */
  async execute(webhookId: bigint, signal: AbortSignal): Promise<void | Postponed> {
    const endMs = this.clock.monotonicMs() + TURN_MS;
    const isPastDeadline = () => signal.aborted || this.clock.monotonicMs() >= endMs;
    do {
      const found = await this.webhooks.find(webhookId);
      const rights = found && (await this.rights.of(found));
      const webhook = rights && (await this.withRights(found, rights));
      const isSuspended = rights?.problem === 'suspended';
      const ending = endingOf(webhook, isSuspended, this.clock.now());
      if (ending !== null && !(await this.abandon(webhookId, webhook ?? NOBODY, ending, isPastDeadline)))
        break;
      if (webhook === null || isSuspended) return;
      const nowMs = this.clock.now();
      const maxRank = isPaused(webhook, nowMs) ? RANKS.requested : RANKS.everybodys;
      const due = await this.deliveries.listDue(webhookId, nowMs, MAX_UNSTORED, maxRank);
      if (webhook.status === 'enabled' && due.some((delivery) => isOverdue(delivery, nowMs))) {
        await this.change(webhook, (current) => fallenBehind(current, nowMs));
        continue;
      }
      const attempts = await this.attemptEach(webhook, due, isPastDeadline, signal);
      const rank = due[0]?.rank ?? RANKS.own;
      const nextMs = await this.writes.on(webhook, rank, () => this.store(webhook, attempts));
      if (nextMs === null) return;
      if (nextMs > this.clock.now()) return { inMs: nextMs - this.clock.now() };
    } while (!isPastDeadline());
    return { inMs: 0 };
  }

  /** A rotated key has a successor. Without a working key, what another key has requested since is not sent either. */
  private async withRights(webhook: Webhook, { ownerKey, problem }: RightsLeft) {
    if (problem === 'no_key' || problem === 'insufficient_scope')
      return this.change(webhook, (current) => disabled(current, problem, this.clock.now()));
    if (ownerKey === webhook.ownerKey) return webhook;
    return this.change(webhook, (current) => ownedBy(current, ownerKey));
  }

  private change({ account, id }: Webhook, change: (webhook: Webhook) => Webhook): Promise<Webhook | null> {
    return this.unitOfWork.deferred.run(async (transaction) => {
      const current = await this.webhooks.findOneBy({ account, id }, transaction);
      const changed = current && change(current);
      if (changed) await this.webhooks.save(changed, transaction);
      return changed;
    });
  }

  /** Ends early after a delivery that pauses the webhook. */
  private async attemptEach(
    webhook: Webhook,
    due: readonly Delivery[],
    isPastDeadline: () => boolean,
    signal: AbortSignal,
  ): Promise<readonly Attempt[]> {
    const attempts: Attempt[] = [];
    const untilMs = this.clock.monotonicMs() + UNSTORED_FOR_MS;
    let state = webhook;
    for (const delivery of due) {
      if (attempts.length > 0 && (isPastDeadline() || this.clock.monotonicMs() >= untilMs)) break;
      const send = async () => {
        // It may have been deleted or disabled meanwhile, or have a new secret.
        const current = await this.webhooks.find(webhook.id);
        if (current?.status !== webhook.status) return null;
        const request = () => this.receivers.send(current, delivery, this.clock.now(), signal);
        return Traces.linked('webhook delivery', delivery.event.cause, request);
      };
      const outcome = await this.slots.on(webhook, delivery.rank, send, signal);
      if (outcome === null) break;
      attempts.push([delivery, outcome]);
      const nowMs = this.clock.now();
      this.count(outcome, nowMs - delivery.event.createdAtMs);
      state = afterAttempt(state, delivery, outcome, nowMs);
      if (outcome.status === null || state.status === 'disabled' || isPaused(state, nowMs)) break;
    }
    return attempts;
  }

  private count(outcome: Outcome, lateMs: number): void {
    const kind = kindOf(outcome);
    this.outcomes.set(kind, this.outcomes.get(kind)! + 1);
    if (kind === 'delivered') this.lateSeconds += Math.max(0, lateMs) / 1_000;
  }

  /** @returns when the next one is due; null when nothing is pending */
  private store({ account, id, status }: Webhook, attempts: readonly Attempt[]): Promise<number | null> {
    return this.unitOfWork.deferred.run(async (transaction) => {
      const nowMs = this.clock.now();
      let webhook = await this.webhooks.findOneBy({ account, id }, transaction);
      if (webhook === null) return nowMs;
      let { pending } = webhook;
      for (const [delivery, outcome] of attempts) {
        const result = attempted(delivery, outcome, nowMs, status === 'pending');
        await this.deliveries.save(result, transaction);
        if (result.status !== 'pending') pending--;
        webhook = afterAttempt(webhook, delivery, outcome, nowMs);
      }
      const due = await this.deliveries.nextDue(id, transaction);
      // One that began again meanwhile has not ended, so the count is right again only when nothing is pending.
      pending = due.length === 0 ? 0 : Math.max(1, pending);
      await this.webhooks.save({ ...webhook, pending }, transaction);
      return nextAttemptAtMs(webhook, due);
    });
  }

  /** Ends what is to be sent no more, in steps. @returns whether that was all */
  private async abandon(
    webhookId: bigint,
    owner: SlotOwner,
    ending: Ending,
    isPastDeadline: () => boolean,
  ): Promise<boolean> {
    const these = { webhookId, ...ending, nowMs: this.clock.now() };
    const abandonSome = async (transaction: Transaction) => {
      const count = await this.deliveries.abandonSome(these, transaction);
      if (count > 0) await this.webhooks.addPending([webhookId], -count, transaction);
      return count;
    };
    const step = () => this.unitOfWork.deferred.run(abandonSome);
    while (!isPastDeadline()) if ((await this.writes.on(owner, RANKS.everybodys, step)) === 0) return true;
    return false;
  }
}

type Ending = Pick<Abandoned, 'untilMs' | 'problem'>;

/** What is pending and is not sent any more: what began until then. Null when all is sent. */
function endingOf(webhook: Webhook | null, isSuspended: boolean, nowMs: number): Ending | null {
  if (webhook === null) return { untilMs: Number.MAX_SAFE_INTEGER, problem: 'The webhook was deleted.' };
  // Later events are sent, when the account has resumed.
  if (isSuspended) return { untilMs: nowMs, problem: 'The account was suspended.' };
  if (webhook.status !== 'disabled') return null;
  return { untilMs: webhook.disabledAtMs!, problem: 'The webhook was disabled.' };
}
