import { Injectable } from '@nestjs/common';
import { Clock, Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { OwnKeys } from '../../../access/application/own-keys.use-case.js';
import { DeliveriesDue, type Delivery, isGone, tried, type TryOutcome } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import { Receivers } from '../../domain/receivers.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { afterTry, disabled, isDeleted, isPlanned, nextWakeMs, type Webhook } from '../../domain/webhook.js';
import { Places, WITHOUT_PLACE_MS } from './places.js';

/** As many are sent before it is stored what became of them. After a kill they are sent again. */
const MOST_UNSTORED = 20;
/** How long a receiver is served before others have their turn. */
const TURN_MS = 5_000;

export type DueWebhook = Pick<DeliveriesDue, 'webhookId' | 'wakeAtMs' | 'first'>;

interface CallAgain {
  readonly inMs: number;
}

type Try = readonly [delivery: Delivery, outcome: TryOutcome];

/** Sends what is due to a webhook, one delivery after another, and says when to look at it again. */
@Injectable()
export class Deliver {
  private readonly places: Places;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly receivers: Receivers,
    private readonly keys: OwnKeys,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {
    this.places = new Places(clock);
  }

  /**
   * Does nothing when the webhook is to be looked at at another time by now.
   * @returns when to call it again, if it could not do all
   */
  async execute(due: DueWebhook, signal: AbortSignal): Promise<void | CallAgain> {
    const webhook = await this.webhooks.find(due.webhookId);
    if (webhook?.wakeAtMs !== due.wakeAtMs) return;
    const endMs = this.clock.monotonicMs() + TURN_MS;
    const isOver = () => signal.aborted || this.clock.monotonicMs() >= endMs;
    if (isDeleted(webhook)) return this.remove(webhook, isOver);
    const deliver = () => this.deliver(due, isOver, signal);
    if (!(await this.places.on(webhook, deliver))) return { inMs: WITHOUT_PLACE_MS };
  }

  private async deliver(due: DueWebhook, isOver: () => boolean, signal: AbortSignal): Promise<void> {
    const { webhookId, wakeAtMs } = due;
    let hasMore = true;
    for (let { first } = due; hasMore; first = null) {
      const webhook = await this.webhooks.find(webhookId);
      if (webhook === null || isDeleted(webhook) || webhook.wakeAtMs !== wakeAtMs) return;
      const disabledAtMs = (await this.hasKey(webhook)) ? webhook.disabledAtMs : await this.disable(webhook);
      if (disabledAtMs !== null)
        await this.giveUp(webhookId, disabledAtMs, 'The webhook was disabled.', isOver);
      const tries = await this.tryEach(webhook, await this.listDue(webhookId, first), isOver, signal);
      hasMore = tries.length === MOST_UNSTORED && tries.at(-1)![1].hasResponded;
      await this.store(webhook, tries, hasMore);
    }
  }

  private async listDue(webhookId: bigint, first: bigint | null): Promise<readonly Delivery[]> {
    const due = await this.deliveries.listDue(webhookId, this.clock.now(), MOST_UNSTORED);
    const waited = first === null ? null : await this.deliveries.findById(webhookId, first);
    if (waited?.status !== 'pending') return due;
    return [waited, ...due.filter(({ id }) => id !== first)].slice(0, MOST_UNSTORED);
  }

  /** Ends early behind a delivery that gets no response. */
  private async tryEach(
    webhook: Webhook,
    due: readonly Delivery[],
    isOver: () => boolean,
    signal: AbortSignal,
  ): Promise<readonly Try[]> {
    const tries: Try[] = [];
    for (const delivery of due) {
      // It may have been deleted meanwhile, or have a new secret.
      const current = tries.length === 0 ? webhook : await this.webhooks.find(webhook.id);
      if (current === null || isDeleted(current) || isOver()) break;
      const send = () => this.receivers.send(current, delivery, this.clock.now(), signal);
      const outcome = await this.places.timed(current, send);
      if (outcome === null) break;
      tries.push([delivery, outcome]);
      if (!outcome.hasResponded || isGone(outcome)) break;
    }
    return tries;
  }

  private store({ account, id, wakeAtMs }: Webhook, tries: readonly Try[], hasMore: boolean): Promise<void> {
    return this.unitOfWork.run(async (transaction) => {
      const nowMs = this.clock.now();
      const learn = async (current: Webhook): Promise<Webhook> => {
        let webhook = current;
        for (const [delivery, outcome] of tries) {
          await this.deliveries.save(tried(delivery, outcome, nowMs), transaction);
          webhook = afterTry(webhook, delivery, outcome, nowMs);
        }
        // Somebody has asked for a delivery meanwhile, which has a job of its own.
        if (hasMore || current.wakeAtMs !== wakeAtMs) return webhook;
        const dueAtMs = await this.deliveries.nextDueAtMs(id, transaction);
        const nextMs = nextWakeMs(webhook, tries.at(-1)?.[1], dueAtMs, nowMs);
        if (nextMs === null || isPlanned(webhook, nextMs, nowMs)) return { ...webhook, wakeAtMs: nextMs };
        await this.outbox.add(new DeliveriesDue(id, nextMs, nextMs - nowMs), transaction);
        return { ...webhook, wakeAtMs: nextMs, plannedAtMs: nextMs };
      };
      await this.webhooks.change(account, id, learn, transaction);
    });
  }

  private async hasKey({ account }: Webhook): Promise<boolean> {
    return (await this.keys.list(account, { limit: 1, after: null })).items.length > 0;
  }

  /** Whoever held the keys must not learn of more. */
  private async disable({ account, id }: Webhook): Promise<number> {
    const nowMs = this.clock.now();
    const disable = (webhook: Webhook) => disabled(webhook, 'no_key', nowMs);
    await this.unitOfWork.run((transaction) => this.webhooks.change(account, id, disable, transaction));
    return nowMs;
  }

  /** Removes a deleted webhook, behind what was pending of it: there may be much, and until then it is known to be there. */
  private async remove({ id }: Webhook, isOver: () => boolean): Promise<void | CallAgain> {
    const isDone = await this.giveUp(id, Number.MAX_SAFE_INTEGER, 'The webhook was deleted.', isOver);
    if (!isDone) return { inMs: 0 };
    await this.unitOfWork.run((transaction) => this.webhooks.remove(id, transaction));
  }

  /** Ends what is pending of a webhook that began until this time. @returns whether that was all */
  private async giveUp(
    webhookId: bigint,
    untilMs: number,
    problem: string,
    isOver: () => boolean,
  ): Promise<boolean> {
    const these = { webhookId, untilMs, problem, nowMs: this.clock.now() };
    const giveUpSome = (transaction: Transaction) => this.deliveries.giveUpSome(these, transaction);
    while (!isOver()) if (!(await this.unitOfWork.run(giveUpSome))) return true;
    return false;
  }
}
