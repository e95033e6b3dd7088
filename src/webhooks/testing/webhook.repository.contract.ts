import type { RepositoryUnderTest } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { NewWebhook, Webhook } from '../domain/webhook.js';
import type { WebhookRepository } from '../domain/webhook.repository.js';
import { EVERYBODY } from '../domain/event.js';
import { aNewWebhook } from './webhook.builder.js';

const MAX = 20;

/** The tests of every WebhookRepository. */
export function webhookRepositoryContract(open: () => RepositoryUnderTest<WebhookRepository>): void {
  let webhooks: WebhookRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: webhooks, unitOfWork } = open()));

  const tryToAdd = (facts: Partial<NewWebhook>, max = MAX) =>
    unitOfWork.run((transaction) => webhooks.subscribe(aNewWebhook(facts), max, transaction));
  const add = async (facts: Partial<NewWebhook> = {}): Promise<Webhook> => (await tryToAdd(facts))!;
  const change = (account: string, id: bigint, by: (webhook: Webhook) => Webhook) =>
    unitOfWork.run(async (transaction) => {
      const webhook = await webhooks.findOneBy({ account, id }, transaction);
      if (webhook !== null) await webhooks.save(by(webhook), transaction);
      return webhook;
    });
  const remove = (account: string, id: bigint): Promise<void> =>
    unitOfWork.run(async (transaction) => {
      const webhook = await webhooks.findOneBy({ account, id }, transaction);
      await webhooks.unsubscribe(webhook!, 7, transaction);
    });

  function subscribers(event: Webhook['events'][number], audience: string, after = 0n) {
    return unitOfWork.run(async (transaction) => {
      const step = await webhooks.lockSubscribers({ type: event, audience }, after, transaction);
      return { ids: step.webhooks.map(({ id }) => id), after: step.after };
    });
  }

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
      status: 'pending' as const,
      pending: 12,
      pausedUntilMs: 1_773_489_600_124,
      refusedSinceMs: 7,
      failures: 7,
      failingSinceMs: 1_773_489_600_125,
    });
    const added = await add(facts);

    expect(added).toEqual({ id: 1n, ...facts });
    expect(await webhooks.find(1n)).toEqual(added);
    expect(await webhooks.findOneBy({ account: facts.account, id: 1n })).toEqual(added);
    expect(await webhooks.findOneBy({ account: 'circus', id: 1n })).toBeNull();
  });

  it('finds none with an id that there is not', async () => {
    await add();

    expect(await webhooks.find(2n)).toBeNull();
    expect(await webhooks.find(2n ** 63n - 1n)).toBeNull();
  });

  it('adds no more than an account may have, also at the same time', async () => {
    const added = await Promise.all(Array.from({ length: 12 }, () => tryToAdd({}, 5)));

    expect(added.filter((webhook) => webhook !== null)).toHaveLength(5);
    expect(await tryToAdd({}, 5)).toBeNull();
    expect(await tryToAdd({ account: 'circus' }, 5)).not.toBeNull();
    await remove('zoo', (await webhooks.list({ account: 'zoo' }, { limit: 1, after: null })).items[0]!.id);
    expect(await tryToAdd({}, 5)).not.toBeNull();
  });

  it('lists the webhooks of an account in pages, ascending by id', async () => {
    for (const account of ['zoo', 'circus', 'zoo', 'zoo']) await add({ account });
    const idsOf = async (limit: number, after: bigint | null) => {
      const page = await webhooks.list(
        { account: 'zoo' },
        { limit, after: after === null ? null : { id: after } },
      );
      return { ids: page.items.map(({ id }) => id), next: page.next?.id ?? null };
    };

    expect(await idsOf(2, null)).toEqual({ ids: [1n, 3n], next: 3n });
    expect(await idsOf(2, 3n)).toEqual({ ids: [4n], next: null });
  });

  it('stores a webhook that is locked', async () => {
    const before = await add();
    const changed = {
      ...before,
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

    expect(await change('zoo', 1n, () => changed)).toEqual(before);
    expect(await webhooks.find(1n)).toEqual(changed);
    expect(await change('circus', 1n, (webhook) => webhook)).toBeNull();
  });

  it('adds to what is pending of several', async () => {
    for (let count = 0; count < 3; count++) await add({ pending: 5 });
    const addPending = (ids: bigint[], count: number) =>
      unitOfWork.run((transaction) => webhooks.addPending(ids, count, transaction));
    await addPending([1n, 3n], 7);
    await addPending([1n], -2);

    const { items } = await webhooks.list({ account: 'zoo' }, { limit: 10, after: null });
    expect(items.map(({ pending }) => pending)).toEqual([10, 5, 12]);
  });

  it('loses no change of two at the same time', async () => {
    await add();
    const fail = (webhook: Webhook) => ({ ...webhook, failures: webhook.failures + 1 });

    await Promise.all(Array.from({ length: 20 }, () => change('zoo', 1n, fail)));
    expect((await webhooks.find(1n))!.failures).toBe(20);
  });

  it('stores nothing of a transaction that fails', async () => {
    const failing = unitOfWork.run(async (transaction) => {
      await webhooks.subscribe(aNewWebhook(), MAX, transaction);
      throw new Error('planted');
    });

    await expect(failing).rejects.toThrow('planted');
    expect((await webhooks.list({ account: 'zoo' }, { limit: 10, after: null })).items).toEqual([]);
    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([]);
  });

  it('removes a webhook, whose events have one subscriber less', async () => {
    await add();

    await remove('zoo', 1n);
    expect((await webhooks.list({ account: 'zoo' }, { limit: 10, after: null })).items).toEqual([]);
    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([]);
    expect(await webhooks.find(1n)).toBeNull();
  });

  it('notifies every account of animals, and an account of its own orders', async () => {
    await add({ account: 'zoo', events: ['animal.added', 'order.placed'] });
    await add({ account: 'circus', events: ['order.placed'] });
    await add({ account: 'circus', events: ['animal.added'] });

    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([1n, 3n]);
    expect((await subscribers('order.placed', 'zoo')).ids).toEqual([1n]);
    expect((await subscribers('order.placed', 'circus')).ids).toEqual([2n]);
    expect((await subscribers('order.placed', EVERYBODY)).ids).toEqual([]);
    expect((await subscribers('order.completed', 'zoo')).ids).toEqual([]);
  });

  it('notifies no webhook that is pending or disabled, until it is enabled', async () => {
    await add({ events: ['animal.added', 'order.placed'] });

    await change('zoo', 1n, (webhook) => ({ ...webhook, status: 'disabled' }));
    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([]);
    await change('zoo', 1n, (webhook) => ({ ...webhook, status: 'pending' }));
    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([]);
    await change('zoo', 1n, (webhook) => ({ ...webhook, status: 'enabled' }));
    expect((await subscribers('animal.added', EVERYBODY)).ids).toEqual([1n]);
    expect((await subscribers('order.placed', 'zoo')).ids).toEqual([1n]);
  });

  it('finds many subscribers in steps', async () => {
    for (let count = 0; count < 230; count++) await add({ account: `zoo ${count}` });
    const found: bigint[] = [];
    const sizes: number[] = [];
    for (let after: bigint | null = 0n; after !== null;) {
      const step: Awaited<ReturnType<typeof subscribers>> = await subscribers(
        'animal.added',
        EVERYBODY,
        after,
      );
      found.push(...step.ids);
      sizes.push(step.ids.length);
      after = step.after;
    }

    expect(found).toEqual(Array.from({ length: 230 }, (_, index) => BigInt(index + 1)));
    expect(sizes).toEqual([100, 100, 30]);
  });
}
