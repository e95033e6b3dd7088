import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { Delivery, DeliveryStatus } from './delivery.js';
import type { NewEvent } from './event.js';

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
}

/** What is added for each of several webhooks, of each of several events. */
export interface NewDeliveries {
  readonly eventIds: readonly bigint[];
  readonly webhookIds: readonly bigint[];
  readonly rank: number;
  readonly atMs: number;
}

export interface Abandoned {
  readonly webhookId: bigint;
  readonly untilMs: number;
  readonly problem: string;
  readonly nowMs: number;
}

/** The deliveries of all webhooks. Ids start at 1 and only grow. */
export abstract class DeliveryRepository {
  /** Adds pending deliveries, which are due now. */
  abstract addEach(deliveries: NewDeliveries, transaction: Transaction): Promise<void>;

  /** Adds an event for this webhook alone, and its delivery, which was requested and is due now. */
  abstract addTest(webhookId: bigint, event: NewEvent, transaction: Transaction): Promise<Delivery>;

  /**
   * The webhook's pending deliveries that are due at this time, up to `limit`: by rank, the longest due first.
   * @param maxRank leaves out those with a later rank
   */
  abstract listDue(
    webhookId: bigint,
    atMs: number,
    limit: number,
    maxRank: number,
  ): Promise<readonly Delivery[]>;

  /** When the next pending delivery of the webhook is due, of each rank; nothing of a rank without one. */
  abstract nextDue(
    webhookId: bigint,
    within: Transaction,
  ): Promise<readonly { readonly rank: number; readonly atMs: number }[]>;

  /** The webhook's delivery, or null when it has none with this id. */
  abstract findById(webhookId: bigint, id: bigint, within?: Transaction): Promise<Delivery | null>;

  /** Stores the result of a delivery, unless it began again since it was read. */
  abstract save(delivery: Delivery, transaction: Transaction): Promise<void>;

  /** Stores a delivery that begins again. */
  abstract begin(delivery: Delivery, transaction: Transaction): Promise<void>;

  /** Ends some of the webhook's pending deliveries started until this time. Returns how many; 0 when none is left. */
  abstract abandonSome(these: Abandoned, transaction: Transaction): Promise<number>;

  /** The webhook's deliveries, a page at a time, the newest first. */
  abstract list(webhookId: bigint, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
}
