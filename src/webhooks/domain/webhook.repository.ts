import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { NewWebhook, Webhook } from './webhook.js';
import type { Announcement } from './webhook-event.js';

/** The webhooks of all accounts. Ids start at 1 and only grow. */
export abstract class WebhookRepository {
  /** Stores the webhook. Webhooks are added one after another, so `max` holds. Returns null when the account has so many already. */
  abstract add(webhook: NewWebhook, max: number, transaction: Transaction): Promise<Webhook | null>;

  /**
   * Replaces the account's webhook with the one that `change` resolves with, and returns that. It is locked until the
   * transaction ends. Returns null when the account has no webhook with this id.
   */
  abstract change(
    account: string,
    id: bigint,
    change: (webhook: Webhook) => Webhook | Promise<Webhook>,
    transaction: Transaction,
  ): Promise<Webhook | null>;

  /**
   * The first webhooks with an id above `after` that such an audience has for an event, locked until the transaction ends, and after
   * which one to go on; null when there is no further one.
   */
  abstract lockSubscribers(
    announcement: Pick<Announcement, 'event' | 'audience'>,
    after: bigint,
    transaction: Transaction,
  ): Promise<{ readonly webhooks: readonly Webhook[]; readonly after: bigint | null }>;

  /** Stores when a locked webhook is to be looked at. */
  abstract wake(webhook: Pick<Webhook, 'id' | 'wakeAtMs'>, transaction: Transaction): Promise<void>;

  /** The webhooks that were to be looked at until this time, up to `limit`, the longest first. */
  abstract listOverdue(atMs: number, limit: number): Promise<readonly Pick<Webhook, 'account' | 'id'>[]>;

  /** Removes a deleted webhook. */
  abstract remove(id: bigint, transaction: Transaction): Promise<void>;

  /** The account's webhook, or null when it has none with this id. */
  abstract findById(account: string, id: bigint): Promise<Webhook | null>;

  /** The webhook of any account, or null. */
  abstract find(id: bigint): Promise<Webhook | null>;

  /** The account's webhooks, a page at a time, ascending by id. */
  abstract list(account: string, page: PageRequest): Promise<Page<Webhook>>;
}
