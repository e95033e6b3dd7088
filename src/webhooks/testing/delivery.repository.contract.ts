import type { RepositoryUnderTest } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import { type Delivery, newDelivery } from '../domain/delivery.js';
import type { DeliveryRepository } from '../domain/delivery.repository.js';
import { aNewDelivery } from './webhook.builder.js';

const NOON = Date.UTC(2026, 2, 14, 12);

/** The tests of every DeliveryRepository. */
export function deliveryRepositoryContract(open: () => RepositoryUnderTest<DeliveryRepository>): void {
  let deliveries: DeliveryRepository;
  let unitOfWork: UnitOfWork;
  let events: number;

  beforeEach(() => {
    ({ repository: deliveries, unitOfWork } = open());
    events = 0;
  });

  function add({ webhookId = 1n, ...facts }: Partial<Omit<Delivery, 'id'>> = {}): Promise<Delivery> {
    const delivery = aNewDelivery({ eventId: `evt_${++events}`, ...facts });
    return unitOfWork.run((transaction) => deliveries.add(delivery, webhookId, transaction));
  }

  const save = (delivery: Delivery) =>
    unitOfWork.run((transaction) => deliveries.save(delivery, transaction));

  it('finds a delivery as it was added, of its webhook alone', async () => {
    const facts = {
      webhookId: 7n,
      eventId: 'evt_x',
      event: 'order.placed' as const,
      body: '{"name":"Łucja 🦜"}',
      status: 'failed' as const,
      tries: 10,
      nextTryAtMs: null,
      responseStatus: 500,
      problem: 'The response was 500.',
      createdAtMs: NOON + 1,
      beganAtMs: NOON + 2,
      endedAtMs: NOON + 3,
    };
    await add(facts);

    expect(await deliveries.findById(7n, 1n)).toEqual({ id: 1n, ...facts });
    expect(await deliveries.findById(8n, 1n)).toBeNull();
    expect(await deliveries.findById(7n, 2n)).toBeNull();
  });

  it('adds a delivery for each webhook that has none of the event', async () => {
    const announced = newDelivery({
      id: 'evt_x',
      event: 'animal.added',
      audience: '',
      atMs: NOON,
      data: '{"id":1}',
    });
    const addEach = (...ids: bigint[]) =>
      unitOfWork.run((transaction) => deliveries.addEach(announced, ids, transaction));
    await addEach(7n, 9007199254740993n);
    await addEach(7n, 8n);

    for (const [webhookId, id] of [
      [7n, 1n],
      [9007199254740993n, 2n],
    ] as const)
      expect(await deliveries.findById(webhookId, id)).toEqual({ ...announced, id, webhookId });
    const { items } = await deliveries.list(8n, {}, { limit: 10, after: null });
    expect(items).toEqual([{ ...announced, id: items[0]!.id, webhookId: 8n }]);
    expect((await deliveries.list(7n, {}, { limit: 10, after: null })).items).toHaveLength(1);
  });

  it('lists what is due of a webhook, the longest due first', async () => {
    await add({ nextTryAtMs: NOON + 2 });
    await add({ nextTryAtMs: NOON });
    await add({ nextTryAtMs: NOON + 1 });
    await add({ nextTryAtMs: NOON, webhookId: 2n });
    await add({ nextTryAtMs: null, status: 'delivered' });
    const dueAt = async (ms: number, max = 10) => (await deliveries.listDue(1n, ms, max)).map(({ id }) => id);

    expect(await dueAt(NOON - 1)).toEqual([]);
    expect(await dueAt(NOON + 1)).toEqual([2n, 3n]);
    expect(await dueAt(NOON + 9)).toEqual([2n, 3n, 1n]);
    expect(await dueAt(NOON + 9, 2)).toEqual([2n, 3n]);
  });

  it('says when the next delivery of a webhook is due', async () => {
    const next = (webhookId: bigint) =>
      unitOfWork.run((transaction) => deliveries.nextDueAtMs(webhookId, transaction));
    await add({ nextTryAtMs: NOON + 2 });
    await add({ nextTryAtMs: NOON + 1 });
    await add({ nextTryAtMs: null, status: 'failed' });

    expect(await next(1n)).toBe(NOON + 1);
    expect(await next(2n)).toBeNull();
  });

  it('stores what has become of a delivery, unless it began again meanwhile', async () => {
    const pending = await add();
    const delivered = {
      ...pending,
      status: 'delivered' as const,
      tries: 1,
      nextTryAtMs: null,
      responseStatus: 204,
    };
    await save(delivered);
    expect(await deliveries.findById(1n, 1n)).toEqual(delivered);

    const begun = { ...delivered, status: 'pending' as const, nextTryAtMs: NOON + 7, beganAtMs: NOON + 7 };
    await unitOfWork.run((transaction) => deliveries.begin(begun, transaction));
    await save({ ...delivered, status: 'failed' });
    expect(await deliveries.findById(1n, 1n)).toEqual(begun);
  });

  it('gives up what is pending and began until then, and says whether there may be more', async () => {
    await add({ beganAtMs: NOON });
    await add({ beganAtMs: NOON + 1 });
    await add({ beganAtMs: NOON, status: 'delivered', nextTryAtMs: null });
    await add({ beganAtMs: NOON, webhookId: 2n });
    const these = { webhookId: 1n, untilMs: NOON, problem: 'The webhook was disabled.', nowMs: NOON + 9 };
    const giveUp = () => unitOfWork.run((transaction) => deliveries.giveUpSome(these, transaction));

    expect(await giveUp()).toBe(false);
    expect(await deliveries.findById(1n, 1n)).toMatchObject({
      status: 'failed',
      nextTryAtMs: null,
      problem: 'The webhook was disabled.',
      endedAtMs: NOON + 9,
    });
    const statuses = await Promise.all(
      [2n, 3n].map(async (id) => (await deliveries.findById(1n, id))!.status),
    );
    expect(statuses).toEqual(['pending', 'delivered']);
    expect((await deliveries.findById(2n, 4n))!.status).toBe('pending');
    for (let count = 0; count < 201; count++) await add({ beganAtMs: NOON });
    expect([await giveUp(), await giveUp()]).toEqual([true, false]);
  });

  it('lists the deliveries of a webhook in pages, the newest first, also those with a status', async () => {
    for (const status of ['pending', 'delivered', 'failed', 'delivered'] as const) await add({ status });
    await add({ webhookId: 2n });
    const page = async (status: Delivery['status'] | undefined, limit: number, after: bigint | null) => {
      const place = after === null ? null : { id: after };
      const { items, next } = await deliveries.list(1n, { status }, { limit, after: place });
      return { ids: items.map(({ id }) => id), next: next?.id ?? null };
    };

    expect(await page(undefined, 3, null)).toEqual({ ids: [4n, 3n, 2n], next: 2n });
    expect(await page(undefined, 3, 2n)).toEqual({ ids: [1n], next: null });
    expect(await page('delivered', 1, null)).toEqual({ ids: [4n], next: 4n });
    expect(await page('delivered', 1, 4n)).toEqual({ ids: [2n], next: null });
  });
}
