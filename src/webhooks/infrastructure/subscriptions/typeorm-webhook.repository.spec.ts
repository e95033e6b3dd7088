import type { Database } from '@animal-store/database';
import { describeRepository } from '@animal-store/database/testing';
import { events } from '../../../events.js';
import { EVERYBODY, EventTypes } from '../../domain/event.js';
import type { NewWebhook, Webhook } from '../../domain/webhook.js';
import { aNewWebhook } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { TypeOrmWebhookRepository } from './typeorm-webhook.repository.js';

class LoneWebhookRepository extends TypeOrmWebhookRepository {
  constructor(database: Database) {
    super(database, new EventTypes(events));
  }
}

describeRepository(LoneWebhookRepository, [webhooksTables], (open) => {
  let webhooks: LoneWebhookRepository;
  let database: Database;

  beforeEach(() => ({ repository: webhooks, unitOfWork: database } = open()));

  const add = (facts: Partial<NewWebhook> = {}, max = 20) =>
    database.run((transaction) => webhooks.subscribe(aNewWebhook(facts), max, transaction));
  const find = (id: bigint) => webhooks.find(id);
  const change = (account: string, by: (webhook: Webhook) => Webhook) =>
    database.run(async (transaction) => {
      const webhook = await webhooks.findOneBy({ account, id: 1n }, transaction);
      if (webhook !== null) await webhooks.save(by(webhook), transaction);
      return webhook;
    });
  const subscribers = (type: string, audience: string) =>
    database.run(async (transaction) => {
      const step = await webhooks.lockSubscribers({ type, audience }, 0n, transaction);
      return step.webhooks.map(({ id }) => id);
    });

  it('finds a webhook as it was added', async () => {
    const facts = aNewWebhook({
      account: 'Łódź zoo 🦜',
      url: 'https://zoo.example/%C5%82?a=b',
      events: ['order.placed', 'animal.added'],
      secrets: [
        { text: 'new', untilMs: null },
        { text: 'old', untilMs: 1_773_489_600_123 },
      ],
      createdBy: null,
      status: 'pending',
      pending: 12,
      pausedUntilMs: 1_773_489_600_124,
      refusedSinceMs: 7,
      failures: 7,
      failingSinceMs: 1_773_489_600_125,
    });
    const added = await add(facts);

    expect(added).toEqual({ id: 1n, ...facts });
    expect(await find(1n)).toEqual(added);
    expect(await webhooks.findOneBy({ account: facts.account, id: 1n })).toEqual(added);
    expect(await webhooks.findOneBy({ account: 'circus', id: 1n })).toBeNull();
    expect(await find(2n)).toBeNull();
  });

  it('adds no more than an account may have, also at the same time', async () => {
    const added = await Promise.all(Array.from({ length: 12 }, () => add({}, 5)));
    const isAdded = added.filter((webhook) => webhook !== null);

    expect(isAdded).toHaveLength(5);
    expect(await add({}, 5)).toBeNull();
    expect(await add({ account: 'circus' }, 5)).not.toBeNull();
    const [removed] = isAdded;
    await database.run((transaction) => webhooks.unsubscribe(removed!, 7, transaction));
    expect(await find(removed!.id)).toBeNull();
    expect(await subscribers('animal.added', EVERYBODY)).not.toContain(removed!.id);
    expect(await add({}, 5)).not.toBeNull();
  });

  it('stores a webhook that is locked', async () => {
    const before = await add();
    const changed = {
      ...before!,
      secrets: [{ text: 'x', untilMs: null }],
      createdBy: 'key_maker',
      ownerKey: 'key_other',
      status: 'disabled' as const,
      pending: 3,
      pausedUntilMs: 7,
      refusedSinceMs: 4,
      failures: 2,
      failingSinceMs: 5,
      disabledAtMs: 6,
      disabledReason: 'gone' as const,
    };

    expect(await change('zoo', () => changed)).toEqual(before);
    expect(await find(1n)).toEqual(changed);
    expect(await change('circus', (webhook) => webhook)).toBeNull();
  });

  it('adds to what is pending of several', async () => {
    for (let count = 0; count < 3; count++) await add({ pending: 5 });
    const addPending = (ids: bigint[], count: number) =>
      database.run((transaction) => webhooks.addPending(ids, count, transaction));
    await addPending([1n, 3n], 7);
    await addPending([1n], -2);

    expect(await Promise.all([1n, 2n, 3n].map(find))).toMatchObject([
      { pending: 10 },
      { pending: 5 },
      { pending: 12 },
    ]);
  });

  it('notifies no webhook that is pending or disabled, until it is enabled', async () => {
    await add({ events: ['animal.added', 'order.placed'] });

    for (const status of ['disabled', 'pending'] as const) {
      await change('zoo', (webhook) => ({ ...webhook, status }));
      expect(await subscribers('animal.added', EVERYBODY)).toEqual([]);
    }
    await change('zoo', (webhook) => ({ ...webhook, status: 'enabled' }));
    expect(await subscribers('animal.added', EVERYBODY)).toEqual([1n]);
    expect(await subscribers('order.placed', 'zoo')).toEqual([1n]);
  });
});
