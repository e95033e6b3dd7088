import type { Database } from '@animal-store/database';
import { databases, describeRepository, emptyBeforeEach } from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { deleted, type Webhook } from '../../domain/webhook.js';
import { events } from '../../../events.js';
import { EVERYBODY, EventTypes } from '../../domain/event.js';
import { aNewWebhook } from '../../testing/webhook.builder.js';
import { webhookRepositoryContract } from '../../testing/webhook.repository.contract.js';
import { webhooksTables } from '../webhooks.tables.js';
import { PolledInterests } from './polled-interests.js';
import { TypeOrmWebhookRepository } from './typeorm-webhook.repository.js';

const TYPES = new EventTypes(events);
const NEVER = { always: false };

class LoneWebhookRepository extends TypeOrmWebhookRepository {
  constructor(database: Database) {
    super(database, new PolledInterests(database, new FakeClock(), NEVER), TYPES);
  }
}

describeRepository(LoneWebhookRepository, [webhooksTables], webhookRepositoryContract);

describe.each(databases)('What servers know of subscriptions, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, webhooksTables);
  let clock: FakeClock;
  let servers: { interests: PolledInterests; webhooks: TypeOrmWebhookRepository }[];

  beforeEach(async () => {
    clock = new FakeClock();
    servers = [1, 2].map(() => {
      const interests = new PolledInterests(temporary.database, clock, NEVER);
      return { interests, webhooks: new TypeOrmWebhookRepository(temporary.database, interests, TYPES) };
    });
    await poll();
  });

  afterEach(async () => {
    for (const { interests } of servers) await interests.onModuleDestroy();
  });

  /** What happens every second. */
  const poll = async () => {
    for (const { interests } of servers) await interests.onModuleInit();
  };
  const knows = (event: Webhook['events'][number], audience: string) =>
    servers.map(({ interests }) => interests.has(event, audience));
  const add = (events: Webhook['events']) =>
    temporary.database.run((transaction) =>
      servers[0]!.webhooks.add(aNewWebhook({ events }), 20, transaction),
    );

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

  it('is nothing of a transaction that fails', async () => {
    const failing = temporary.database.run(async (transaction) => {
      await servers[0]!.webhooks.add(aNewWebhook(), 20, transaction);
      throw new Error('planted');
    });
    await expect(failing).rejects.toThrow('planted');
    await poll();

    expect(knows('animal.added', EVERYBODY)).toEqual([false, false]);
  });

  it('ends when the last one is deleted', async () => {
    await add(['animal.added']);
    await poll();
    const { webhooks } = servers[0]!;
    const remove = (webhook: Webhook) => deleted(webhook, 7);
    await temporary.database.run((transaction) => webhooks.change('zoo', 1n, remove, transaction));
    await poll();

    expect(knows('animal.added', EVERYBODY)).toEqual([false, false]);
  });

  it('is that everything may be wanted while they cannot look for five seconds', async () => {
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
    const reading = servers[0]!.interests.onModuleInit();
    await add(['animal.added']);
    await reading;

    expect(knows('animal.added', EVERYBODY)[0]).toBe(true);
    expect(knows('order.placed', 'zoo')[0]).toBe(true);
  });
});
