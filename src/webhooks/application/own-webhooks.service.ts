import { Injectable } from '@nestjs/common';
import {
  Clock,
  Outbox,
  type Page,
  type PageRequest,
  type Transaction,
  UnitOfWork,
} from '@animal-store/kernel';
import { DeliveriesDue, type Delivery, retried } from '../domain/delivery.js';
import { type DeliveryFilter, DeliveryRepository } from '../domain/delivery.repository.js';
import { newEvent, TEST_EVENT } from '../domain/event.js';
import { Receivers } from '../domain/receivers.js';
import {
  DeliveryNotFound,
  InvalidWebhook,
  TooManyWebhooks,
  WebhookNotFound,
} from '../domain/webhook.errors.js';
import { WebhookRepository } from '../domain/webhook.repository.js';
import {
  fallenBehind,
  MAX_WEBHOOKS,
  newWebhook,
  nextAttemptAtMs,
  ownedBy,
  type Webhook,
  type WebhookTerms,
  withNewSecret,
} from '../domain/webhook.js';
import { EventInterests, WebhookSettings } from './events/event-interests.js';
import { type Actor, WebhookRights } from './webhook-rights.js';

/** An account manages its own webhooks. Another account's webhook does not exist: WebhookNotFound. */
@Injectable()
export class OwnWebhooks {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly receivers: Receivers,
    private readonly rights: WebhookRights,
    private readonly interests: EventInterests,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
    private readonly settings: WebhookSettings,
  ) {}

  list(account: string, page: PageRequest): Promise<Page<Webhook>> {
    return this.webhooks.list({ account }, page);
  }

  /** In a transaction it is locked until that ends. */
  async get(account: string, id: bigint, within?: Transaction): Promise<Webhook> {
    const webhook = await this.webhooks.findOneBy({ account, id }, within);
    if (webhook === null) throw new WebhookNotFound(id);
    return webhook;
  }

  /**
   * Its receiver is sent a test, and nothing else until that has arrived.
   * @throws InvalidWebhook when nothing may be sent to the URL.
   * @throws TooManyWebhooks
   */
  async create(terms: WebhookTerms): Promise<Webhook> {
    const problem = this.receivers.problemOf(terms.url);
    if (problem !== null) throw new InvalidWebhook(`url ${problem}.`);
    const webhook = { ...newWebhook(terms, this.clock.now()), pending: 1 };
    return this.unitOfWork.run(async (transaction) => {
      const added = await this.webhooks.subscribe(webhook, MAX_WEBHOOKS, transaction);
      if (added === null) throw new TooManyWebhooks(MAX_WEBHOOKS);
      await this.addTest(added, transaction);
      await this.outbox.add(new DeliveriesDue([{ id: added.id }]), transaction);
      transaction.onCommit(() => this.interests.added(added));
      return added;
    });
  }

  /** What has not arrived yet is not sent any more. It ends in the background, as there may be much. */
  async delete(account: string, id: bigint): Promise<void> {
    const nowMs = this.clock.now();
    await this.unitOfWork.run(async (transaction) => {
      const webhook = await this.get(account, id, transaction);
      await this.webhooks.unsubscribe(webhook, nowMs, transaction);
      await this.outbox.add(new DeliveriesDue([{ id }]), transaction);
    });
  }

  /** The previous secret signs for another day. */
  rotateSecret(account: string, id: bigint): Promise<Webhook> {
    return this.unitOfWork.run(async (transaction) => {
      const webhook = withNewSecret(await this.get(account, id, transaction), this.clock.now());
      await this.webhooks.save(webhook, transaction);
      return webhook;
    });
  }

  /** The deliveries of a webhook, the newest first. */
  async listDeliveries(
    account: string,
    id: bigint,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<Delivery>> {
    const webhook = await this.get(account, id);
    const { items, next } = await this.deliveries.list(id, filter, page);
    const shown = ({ rank, nextAttemptAtMs: atMs }: Delivery) =>
      atMs === null ? null : nextAttemptAtMs(webhook, [{ rank, atMs }]);
    return { items: items.map((one) => ({ ...one, nextAttemptAtMs: shown(one) })), next };
  }

  /** Sends a test. The acting key may become the owner of the webhook. */
  async test(account: string, id: bigint, actor: Actor): Promise<Delivery> {
    const ownerKey = await this.rights.ownerAfterTest(await this.get(account, id), actor);
    return this.unitOfWork.run(async (transaction) => {
      const webhook = await this.get(account, id, transaction);
      const delivery = await this.addTest(webhook, transaction);
      await this.request({ ...ownedBy(webhook, ownerKey), pending: webhook.pending + 1 }, transaction);
      return delivery;
    });
  }

  /**
   * Sends a delivery again, whatever its status.
   * @throws DeliveryNotFound when the webhook has no delivery with this id.
   */
  retry(account: string, id: bigint, deliveryId: bigint): Promise<Delivery> {
    return this.unitOfWork.run(async (transaction) => {
      const webhook = await this.get(account, id, transaction);
      const before = await this.deliveries.findById(id, deliveryId, transaction);
      if (before === null) throw new DeliveryNotFound(deliveryId);
      const delivery = retried(before, this.clock.now());
      await this.deliveries.begin(delivery, transaction);
      const pending = webhook.pending + (before.status === 'pending' ? 0 : 1);
      await this.request({ ...webhook, pending }, transaction);
      return delivery;
    });
  }

  /** What is requested has the bound of all that is pending, also of a webhook that is disabled already. */
  private async request(webhook: Webhook, transaction: Transaction): Promise<void> {
    const isFull = webhook.pending > this.settings.mostPending;
    await this.webhooks.save(isFull ? fallenBehind(webhook, this.clock.now()) : webhook, transaction);
    await this.outbox.add(new DeliveriesDue([{ id: webhook.id }]), transaction);
  }

  private addTest({ id, account }: Webhook, transaction: Transaction): Promise<Delivery> {
    const test = newEvent({ name: TEST_EVENT, version: 1 }, account, '{}', this.clock.now());
    return this.deliveries.addTest(id, { ...test, fannedOutUpTo: null }, transaction);
  }
}
