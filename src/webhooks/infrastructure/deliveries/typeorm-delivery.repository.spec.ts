import type { Database } from '@animal-store/database';
import { describeRepository } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { type Delivery, RANKS } from '../../domain/delivery.js';
import { aNewEvent } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { RemoveEndedDeliveries, TypeOrmDeliveryRepository } from './typeorm-delivery.repository.js';

const NOON = Date.UTC(2026, 2, 14, 12);

describeRepository(TypeOrmDeliveryRepository, [webhooksTables], (open) => {
  let deliveries: TypeOrmDeliveryRepository;
  let database: Database;
  let events: number;

  beforeEach(() => {
    ({ repository: deliveries, unitOfWork: database } = open());
    events = 0;
  });

  /** A delivery of a new event. */
  const add = (facts: Partial<Omit<Delivery, 'id'>> = {}): Promise<Delivery> =>
    database.run(async (transaction) => {
      const { webhookId = 1n, startedAtMs = NOON } = facts;
      const event = { eventId: `evt_${++events}`, body: `{"n":${events}}`, createdAtMs: startedAtMs };
      const added = await deliveries.addTest(webhookId, aNewEvent(event), transaction);
      const delivery = { ...added, rank: RANKS.everybodys, ...facts };
      await deliveries.save(delivery, transaction);
      return delivery;
    });

  it('finds a delivery as it was stored, of its webhook alone, with its event', async () => {
    const added = await add({
      webhookId: 7n,
      rank: RANKS.own,
      status: 'failed',
      attempts: 10,
      nextAttemptAtMs: null,
      responseStatus: 500,
      problem: 'The response was 500.',
      startedAtMs: NOON + 2,
      endedAtMs: NOON + 3,
    });

    expect(await deliveries.findById(7n, 1n)).toEqual(added);
    expect(added.event).toEqual({ id: 1n, ...aNewEvent({ body: '{"n":1}', createdAtMs: NOON + 2 }) });
    expect(await deliveries.findById(8n, 1n)).toBeNull();
    expect(await deliveries.findById(7n, 2n)).toBeNull();
  });

  it('adds a delivery of each event for each webhook, whose body is stored once', async () => {
    const [{ event: one }, { event: other }] = [await add(), await add()];
    const webhookIds = [7n, 9007199254740993n];
    const added = { eventIds: [one.id, other.id], webhookIds, rank: RANKS.own, atMs: NOON };
    await database.run((transaction) => deliveries.addEach(added, transaction));

    for (const webhookId of webhookIds) {
      const { items } = await deliveries.list(webhookId, {}, { limit: 10, after: null });
      expect(items.map(({ event }) => event)).toEqual([other, one]);
      expect(items[0]).toMatchObject({
        rank: RANKS.own,
        status: 'pending',
        attempts: 0,
        nextAttemptAtMs: NOON,
        startedAtMs: NOON,
        endedAtMs: null,
      });
    }
  });

  it('lists what is due of a webhook: by rank, the longest due first', async () => {
    await add({ nextAttemptAtMs: NOON + 2 });
    await add({ nextAttemptAtMs: NOON });
    await add({ nextAttemptAtMs: NOON + 1, rank: RANKS.own });
    await add({ nextAttemptAtMs: NOON, webhookId: 2n });
    await add({ nextAttemptAtMs: null, status: 'delivered' });
    await add({ nextAttemptAtMs: NOON + 3, rank: RANKS.requested });
    const dueAt = async (ms: number, max = 10, rank: number = RANKS.everybodys) =>
      (await deliveries.listDue(1n, ms, max, rank)).map(({ id }) => id);

    expect(await dueAt(NOON - 1)).toEqual([]);
    expect(await dueAt(NOON + 1)).toEqual([3n, 2n]);
    expect(await dueAt(NOON + 9)).toEqual([6n, 3n, 2n, 1n]);
    expect(await dueAt(NOON + 9, 2)).toEqual([6n, 3n]);
    expect(await dueAt(NOON + 9, 10, RANKS.own)).toEqual([6n, 3n]);
    expect(await dueAt(NOON + 9, 10, RANKS.requested)).toEqual([6n]);
  });

  it('says when the next delivery of each rank of a webhook is due', async () => {
    const next = async (webhookId: bigint) =>
      (await database.run((transaction) => deliveries.nextDue(webhookId, transaction))).toSorted(
        (a, b) => a.rank - b.rank,
      );
    await add({ nextAttemptAtMs: NOON + 2 });
    await add({ nextAttemptAtMs: NOON + 1 });
    await add({ nextAttemptAtMs: NOON + 9, rank: RANKS.own });
    await add({ nextAttemptAtMs: null, status: 'failed' });

    expect(await next(1n)).toEqual([
      { rank: RANKS.own, atMs: NOON + 9 },
      { rank: RANKS.everybodys, atMs: NOON + 1 },
    ]);
    expect(await next(2n)).toEqual([]);
  });

  it('gives up what is pending and began until then in steps, and says how many', async () => {
    await add({ startedAtMs: NOON });
    await add({ startedAtMs: NOON + 1 });
    await add({ startedAtMs: NOON, status: 'delivered', nextAttemptAtMs: null });
    await add({ startedAtMs: NOON, webhookId: 2n });
    const these = { webhookId: 1n, untilMs: NOON, problem: 'The webhook was disabled.', nowMs: NOON + 9 };
    const abandon = () => database.run((transaction) => deliveries.abandonSome(these, transaction));

    expect(await abandon()).toBe(1);
    expect(await deliveries.findById(1n, 1n)).toMatchObject({
      status: 'failed',
      nextAttemptAtMs: null,
      problem: 'The webhook was disabled.',
      endedAtMs: NOON + 9,
    });
    const statuses = await Promise.all(
      [2n, 3n].map(async (id) => (await deliveries.findById(1n, id))!.status),
    );
    expect(statuses).toEqual(['pending', 'delivered']);
    expect((await deliveries.findById(2n, 4n))!.status).toBe('pending');
    const many = { eventIds: Array<bigint>(201).fill(1n), webhookIds: [1n], rank: RANKS.own, atMs: NOON };
    await database.run((transaction) => deliveries.addEach(many, transaction));
    expect([await abandon(), await abandon(), await abandon()]).toEqual([200, 1, 0]);
  });

  it('has its deliveries for a week after their ends; what is pending stays', async () => {
    const clock = new FakeClock();
    const weekAgoMs = clock.now() - 7 * DAY_MS;
    for (let id = 1; id <= 5; id++) await add({ endedAtMs: weekAgoMs - id });
    await add({ endedAtMs: weekAgoMs + 1 });
    await add({ endedAtMs: null });

    await new RemoveEndedDeliveries(database, clock).run(null, new AbortController().signal);
    const { items } = await deliveries.list(1n, {}, { limit: 10, after: null });
    expect(items.map(({ event }) => event.eventId)).toEqual(['evt_7', 'evt_6']);
  });
});
