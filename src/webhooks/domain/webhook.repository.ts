import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { NewWebhook, Webhook } from './webhook.js';

/** What a new delivery for a webhook depends on. */
export type Subscriber = Pick<Webhook, 'id' | 'account' | 'pending' | 'pausedUntilMs'>;

/** How many webhooks subscribe to such events, and when that has changed. */
export interface EventInterest {
  readonly event: string;
  readonly audience: string;
  readonly webhooks: number;
  readonly changedAtMs: number;
}

/** The webhooks of all accounts. Ids start at 1 and only grow. */
export abstract class WebhookRepository {
  /** Adds the webhook, one after another, so `max` holds. Returns null when the account has so many already. */
  abstract subscribe(webhook: NewWebhook, max: number, transaction: Transaction): Promise<Webhook | null>;

  /** Removes a locked webhook. */
  abstract unsubscribe(webhook: Webhook, atMs: number, transaction: Transaction): Promise<void>;

  /** The account's webhook, or null. In a transaction it is locked until that ends. */
  abstract findOneBy(key: Pick<Webhook, 'account' | 'id'>, within?: Transaction): Promise<Webhook | null>;

  /** Stores a locked webhook. Its URL and its events never change. */
  abstract save(webhook: Webhook, transaction: Transaction): Promise<void>;

  /**
   * The first enabled webhooks with an id above `after` that such an audience has for an event, locked until the
   * transaction ends, and after which one to continue; null when there is no further one.
   */
  abstract lockSubscribers(
    event: { readonly type: string; readonly audience: string },
    after: bigint,
    transaction: Transaction,
  ): Promise<{ readonly webhooks: readonly Subscriber[]; readonly after: bigint | null }>;

  /** Adds to the number of what is pending of these locked webhooks. */
  abstract addPending(ids: readonly bigint[], count: number, transaction: Transaction): Promise<void>;

  /** The webhook of any account, or null. */
  abstract find(id: bigint): Promise<Webhook | null>;

  /** The account's webhooks, a page at a time, ascending by id. */
  abstract list(filter: Pick<Webhook, 'account'>, page: PageRequest): Promise<Page<Webhook>>;

  /** The interests that were changed after this time, in the order of their changes, at most `limit` of them. */
  abstract changedInterests(afterMs: number, limit: number): Promise<readonly EventInterest[]>;
}
