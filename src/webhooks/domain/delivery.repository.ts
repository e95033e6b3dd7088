import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { Delivery, DeliveryStatus, NewDelivery } from './delivery.js';

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
}

export interface GivenUp {
  readonly webhookId: bigint;
  readonly untilMs: number;
  readonly problem: string;
  readonly nowMs: number;
}

/** The deliveries of all webhooks. Ids start at 1 and only grow. */
export abstract class DeliveryRepository {
  abstract add(delivery: NewDelivery, webhookId: bigint, transaction: Transaction): Promise<Delivery>;

  /** Adds the delivery for each of the webhooks that has none of this event. */
  abstract addEach(
    delivery: NewDelivery,
    webhookIds: readonly bigint[],
    transaction: Transaction,
  ): Promise<void>;

  /** The webhook's pending deliveries that are due at this time, up to `limit`, the longest due first. */
  abstract listDue(webhookId: bigint, atMs: number, limit: number): Promise<readonly Delivery[]>;

  /** When the next pending delivery of the webhook is due; null when none is pending. */
  abstract nextDueAtMs(webhookId: bigint, transaction: Transaction): Promise<number | null>;

  /** The webhook's delivery, or null when it has none with this id. */
  abstract findById(webhookId: bigint, id: bigint, within?: Transaction): Promise<Delivery | null>;

  /** Stores what has become of a delivery, unless it began again since it was read. */
  abstract save(delivery: Delivery, transaction: Transaction): Promise<void>;

  /** Stores a delivery that begins again. */
  abstract begin(delivery: Delivery, transaction: Transaction): Promise<void>;

  /** Ends some of the webhook's pending deliveries that began until this time. Returns whether there may be more. */
  abstract giveUpSome(these: GivenUp, transaction: Transaction): Promise<boolean>;

  /** The webhook's deliveries, a page at a time, the newest first. */
  abstract list(webhookId: bigint, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
}
