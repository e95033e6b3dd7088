import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { events } from '../../../events.js';
import { EVERYBODY, EventTypes } from '../../domain/event.js';
import type { Webhook } from '../../domain/webhook.js';
import { TypeOrmWebhookRepository } from '../../infrastructure/subscriptions/typeorm-webhook.repository.js';
import { webhooksTables } from '../../infrastructure/webhooks.tables.js';
import { aNewWebhook } from '../../testing/webhook.builder.js';
import { EventInterests } from './event-interests.js';

const TYPES = new EventTypes(events);
const SETTINGS = { events: 'subscribed', mostPending: 10_000 } as const;

describe.each(databases)('What servers know of subscriptions, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, webhooksTables);
  let clock: FakeClock;
  let servers: { interests: EventInterests; webhooks: TypeOrmWebhookRepository }[];

  beforeEach(async () => {
    clock = new FakeClock();
    servers = [1, 2].map(() => {
      const webhooks = new TypeOrmWebhookRepository(temporary.database, TYPES);
      return { interests: new EventInterests(webhooks, TYPES, clock, SETTINGS), webhooks };
    });
    await poll();
  });

  /** What happens every second. */
  const poll = async () => {
    for (const { interests } of servers) await interests.refresh();
  };
  const knows = (event: Webhook['events'][number], audience: string) =>
    servers.map(({ interests }) => interests.has(event, audience));
  const add = (events: Webhook['events'], laterMs = 0, account = 'zoo') => {
    const webhook = aNewWebhook({ account, events });
    const later = { ...webhook, createdAtMs: webhook.createdAtMs + laterMs };
    return temporary.database.run(async (transaction) => {
      const added = (await servers[0]!.webhooks.subscribe(later, 20, transaction))!;
      transaction.onCommit(() => servers[0]!.interests.added(added));
    });
  };

  it('is their own changes at once, and those of others after the next look', async () => {
    await add(['animal.added', 'order.placed']);

    expect(knows('animal.added', EVERYBODY)).toEqual([true, false]);
    expect(knows('order.placed', 'zoo')).toEqual([true, false]);
    await poll();
    expect(knows('animal.added', EVERYBODY)).toEqual([true, true]);
    expect(knows('order.placed', 'zoo')).toEqual([true, true]);
    expect(knows('order.placed', 'circus')).toEqual([false, false]);
    expect(servers.map(({ interests }) => interests.hasAny('order.placed'))).toEqual([true, true]);
    expect(servers.map(({ interests }) => interests.hasAny('order.completed'))).toEqual([false, false]);
  });

  it('costs what has changed, however many there are', async () => {
    for (let count = 0; count < 30; count++) await add(['order.placed'], 0, `${count}`);
    await poll();
    await add(['order.placed']);
    const read = jest.spyOn(servers[1]!.webhooks, 'changedInterests');
    await poll();

    const [found] = await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(found).toMatchObject([{ event: 'order.placed', audience: 'zoo', webhooks: 1 }]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('ends when the last one is deleted, and is stored for a day more', async () => {
    const remove = (id: bigint) =>
      temporary.database.run(async (transaction) => {
        const { webhooks } = servers[0]!;
        const webhook = await webhooks.findOneBy({ account: 'zoo', id }, transaction);
        await webhooks.unsubscribe(webhook!, clock.now(), transaction);
      });
    const stored = () =>
      temporary.database.query(
        'SELECT event, CAST(webhooks AS text) AS webhooks FROM event_interests ORDER BY event',
      );
    for (let count = 0; count < 2; count++) await add(['animal.added', 'order.placed']);
    await remove(1n);
    await poll();
    expect(knows('animal.added', EVERYBODY)).toEqual([true, true]);
    await remove(2n);
    await poll();
    expect(knows('animal.added', EVERYBODY)).toEqual([false, false]);
    expect(servers.map(({ interests }) => interests.hasAny('order.placed'))).toEqual([false, false]);
    expect(await stored()).toMatchObject([{ webhooks: '0' }, { webhooks: '0' }]);
    await add(['order.completed'], DAY_MS + 9);
    expect(await stored()).toEqual([{ event: 'order.completed', webhooks: '1' }]);
  });

  it('is that everything is stored while they cannot be read for five seconds', async () => {
    clock.advance(5_000);
    expect(knows('animal.added', EVERYBODY)).toEqual([false, false]);
    clock.advance(1);
    expect(knows('animal.added', EVERYBODY)).toEqual([true, true]);
    expect(servers.map(({ interests }) => interests.hasAny('order.completed'))).toEqual([true, true]);
    await poll();
    expect(knows('animal.added', EVERYBODY)).toEqual([false, false]);
  });

  it('loses nothing that is added while it is read', async () => {
    await add(['order.placed']);
    const reading = servers[0]!.interests.refresh();
    await add(['animal.added']);
    await reading;

    expect(knows('animal.added', EVERYBODY)[0]).toBe(true);
    expect(knows('order.placed', 'zoo')[0]).toBe(true);
  });
});
