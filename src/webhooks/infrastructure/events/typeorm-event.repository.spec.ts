import type { Database } from '@animal-store/database';
import { describeRepository } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { EVERYBODY, type NewEvent } from '../../domain/event.js';
import { aNewEvent } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { RemoveOldEvents, TypeOrmEventRepository } from './typeorm-event.repository.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const ANIMALS = { name: 'animal.added', audience: EVERYBODY };
const ORDERS = { name: 'order.placed', audience: 'zoo' };

describeRepository(TypeOrmEventRepository, [webhooksTables], (open) => {
  let events: TypeOrmEventRepository;
  let database: Database;
  let added: number;

  beforeEach(() => {
    ({ repository: events, unitOfWork: database } = open());
    added = 0;
  });

  const add = (facts: Partial<NewEvent> = {}): Promise<string> =>
    database.run(async (transaction) => {
      const event = aNewEvent({ eventId: `evt_${++added}`, ...facts });
      await events.add(event, transaction);
      return event.eventId;
    });
  const openOf = (audience: string, limit = 10) =>
    database.run(async (transaction) =>
      (await events.lockOpen(audience, limit, transaction)).map(({ id }) => id),
    );
  const advance = (ids: bigint[], fannedOutUpTo: bigint | null) =>
    database.run((transaction) => events.advance(ids, fannedOutUpTo, transaction));

  it('finds an event as it was added', async () => {
    const facts = { body: '{"name":"Łucja 🦜"}', audience: 'Łódź zoo', fannedOutUpTo: null, cause: 'a span' };
    const eventId = await add(facts);

    expect(await events.find(eventId)).toEqual({ id: 1n, ...aNewEvent({ eventId, ...facts }) });
    expect(await events.find('evt_2')).toBeNull();
  });

  it('lists whose events not all webhooks have, each once, from one account to the next, and everybody last', async () => {
    for (const audience of ['zoo', 'ark', 'zoo', EVERYBODY, 'circus']) await add({ audience });
    await add({ audience: 'shelter', fannedOutUpTo: null });

    expect(await events.openAudiences(EVERYBODY, 10)).toEqual(['ark', 'circus', 'zoo', EVERYBODY]);
    expect(await events.openAudiences(EVERYBODY, 2)).toEqual(['ark', 'circus', EVERYBODY]);
    expect(await events.openAudiences('circus', 2)).toEqual(['zoo', EVERYBODY]);
    await advance([4n], null);
    expect(await events.openAudiences('circus', 2)).toEqual(['zoo']);
    expect(await events.openAudiences('zoo', 2)).toEqual([]);
  });

  it('lists the open events of an audience, the oldest first, and stores how far they are', async () => {
    for (let count = 0; count < 3; count++) await add();
    await add({ audience: 'zoo' });

    expect(await openOf(EVERYBODY)).toEqual([1n, 2n, 3n]);
    expect(await openOf(EVERYBODY, 2)).toEqual([1n, 2n]);
    expect(await openOf('zoo')).toEqual([4n]);
    await advance([1n, 2n], 9007199254740993n);
    await advance([2n, 3n], null);
    expect(await openOf(EVERYBODY)).toEqual([1n]);
    expect((await events.find('evt_1'))!.fannedOutUpTo).toBe(9007199254740993n);
    expect((await events.find('evt_3'))!.fannedOutUpTo).toBeNull();
  });

  it('lists events of several types in pages, the oldest first, of the right audiences, and none too new', async () => {
    await add();
    await add({ type: 'order.placed', audience: 'zoo' });
    await add({ type: 'order.placed', audience: 'circus' });
    await add({ type: 'order.cancelled', audience: 'zoo' });
    await add({ createdAtMs: NOON + 1 });
    await add();
    await add({ type: 'order.placed', audience: 'zoo', createdAtMs: NOON + 2 });
    const page = async (limit: number, after: bigint | null, types = [ANIMALS, ORDERS]) => {
      const place = after === null ? null : { id: after };
      const { items, next } = await events.list({ types, untilMs: NOON + 1 }, { limit, after: place });
      return { ids: items.map(({ id }) => id), next: next?.id ?? null };
    };

    expect(await page(10, null)).toEqual({ ids: [1n, 2n, 5n, 6n], next: null });
    expect(await page(2, null)).toEqual({ ids: [1n, 2n], next: 2n });
    expect(await page(2, 2n)).toEqual({ ids: [5n, 6n], next: null });
    expect(await page(10, null, [ORDERS])).toEqual({ ids: [2n], next: null });
  });

  it('has its events for 30 days', async () => {
    const clock = new FakeClock();
    for (const age of [DAY_MS * 31, DAY_MS * 30, DAY_MS * 30 - 1])
      await add({ createdAtMs: clock.now() - age });
    await new RemoveOldEvents(database, clock).run(null, new AbortController().signal);

    const found = await Promise.all([1, 2, 3].map((id) => events.find(`evt_${id}`)));
    expect(found.map((event) => event?.eventId)).toEqual([undefined, undefined, 'evt_3']);
  });
});
