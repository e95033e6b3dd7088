import { Injectable } from '@nestjs/common';
import { Batcher, Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { DeliveriesDue, newDelivery } from '../../domain/delivery.js';
import { DeliveryRepository } from '../../domain/delivery.repository.js';
import type { Announcement } from '../../domain/webhook-event.js';
import { WebhookRepository } from '../../domain/webhook.repository.js';
import { isAsleep } from '../../domain/webhook.js';

/** The announcements of a transaction. It locks webhooks that others wait for. */
const MAX_TOGETHER = 50;

interface Announced {
  readonly announcement: Announcement;
  readonly signal: AbortSignal;
}

/**
 * Makes a delivery of an event for each webhook that wants it. It may be called again for the same event. Those of one moment
 * share transactions: each by itself would wait for the webhooks that the others have locked.
 */
@Injectable()
export class AnnounceEvent {
  private readonly together = new Batcher((announced: readonly Announced[]) => this.announceAll(announced), {
    max: MAX_TOGETHER,
    atOnce: 1,
  });

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  execute(announcement: Announcement, signal: AbortSignal): Promise<void> {
    return this.together.add({ announcement, signal });
  }

  private async announceAll(announced: readonly Announced[]): Promise<Promise<void>[]> {
    const groups = new Map<string, Announced[]>();
    for (const item of announced) {
      const { event, audience } = item.announcement;
      const subscribers = `${event} ${audience}`;
      groups.set(subscribers, [...(groups.get(subscribers) ?? []), item]);
    }
    const failures = new Map<Announced, unknown>();
    for (const group of groups.values())
      await this.announceGroup(group).catch((error: unknown) => {
        for (const item of group) failures.set(item, error);
      });
    return announced.map(async (item) => {
      item.signal.throwIfAborted();
      if (failures.has(item)) throw failures.get(item);
    });
  }

  /** Each step is a transaction of its own, as there may be many webhooks. One that has no time left takes part in no more. */
  private async announceGroup(group: readonly Announced[]): Promise<void> {
    for (let from: bigint | null = 0n; from !== null;) {
      const open = group.filter(({ signal }) => !signal.aborted);
      if (open.length === 0) return;
      const deliveries = open.map(({ announcement }) => newDelivery(announcement));
      const after: bigint = from;
      from = await this.unitOfWork.run(async (transaction) => {
        const step = await this.webhooks.lockSubscribers(group[0]!.announcement, after, transaction);
        const ids = step.webhooks.map(({ id }) => id);
        if (ids.length > 0)
          for (const delivery of deliveries) await this.deliveries.addEach(delivery, ids, transaction);
        const nowMs = this.clock.now();
        for (const webhook of step.webhooks) {
          if (!isAsleep(webhook, nowMs)) continue;
          await this.webhooks.wake({ id: webhook.id, wakeAtMs: nowMs }, transaction);
          await this.outbox.add(new DeliveriesDue(webhook.id, nowMs, 0), transaction);
        }
        return step.after;
      });
    }
  }
}
