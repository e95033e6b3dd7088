import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { NewEvent, OpenEvent, StoredEvent } from './event.js';

/** Whose events of which types. */
export interface EventFilter {
  readonly types: readonly { readonly name: string; readonly audience: string }[];
  /** Only what was stored until then: transactions may commit in another order than that of their ids. */
  readonly untilMs: number;
}

/** What has happened, each event once, however many webhooks are notified of it. Ids start at 1 and only grow. */
export abstract class EventRepository {
  abstract add(event: NewEvent, transaction: Transaction): Promise<void>;

  /**
   * The audiences of events that are not fanned out: the first accounts after this one, by name, up to `limit`, and
   * EVERYBODY as the last.
   */
  abstract openAudiences(after: string, limit: number): Promise<readonly string[]>;

  /** Locks the oldest events of an audience that are not fanned out, up to `limit`; skips those that others lock. */
  abstract lockOpen(audience: string, limit: number, transaction: Transaction): Promise<readonly OpenEvent[]>;

  /** Stores up to which webhook all have a delivery of these events; null when all have. */
  abstract advance(
    ids: readonly bigint[],
    fannedOutUpTo: bigint | null,
    transaction: Transaction,
  ): Promise<void>;

  /** The event with this `webhook-id`, or null. */
  abstract find(eventId: string): Promise<StoredEvent | null>;

  /** The events, a page at a time, the oldest first. */
  abstract list(filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>>;
}
