import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseModule } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { JobAdmin, jobsTables, JobWorker } from '@animal-store/jobs';
import { DAY_MS, Traces } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';

import { accessTables } from '../access/infrastructure/access.tables.js';
import { anApiKey } from '../access/testing/api-key.builder.js';
import { events } from '../events.js';
import { FindKey } from '../access/application/find-key.use-case.js';
import { PlaceOrder } from '../orders/application/place-order.use-case.js';
import { EndOrder } from '../orders/application/end-order.use-case.js';
import { ordersTables } from '../orders/infrastructure/orders.tables.js';
import { OrdersModule } from '../orders/orders.module.js';
import { CreatePet } from '../pets/application/create-pet.use-case.js';
import { petsTables } from '../pets/infrastructure/pets.tables.js';
import { SettingsModule } from '../settings/settings.module.js';
import { loadSettings } from '../settings/settings.js';
import { Deliver } from './application/deliveries/deliver.use-case.js';
import { DeliverySlots } from './application/deliveries/delivery-slots.js';
import { EventInterests, WebhookSettings } from './application/events/event-interests.js';
import { FanOutEvents } from './application/events/fan-out-events.service.js';
import { ReadEvents } from './application/events/read-events.service.js';
import { OwnWebhooks } from './application/own-webhooks.service.js';
import { EventRepository } from './domain/event.repository.js';
import { Receivers } from './domain/receivers.js';
import { WebhookRepository } from './domain/webhook.repository.js';
import { TEST_EVENT } from './domain/event.js';
import { TypeOrmEventRepository } from './infrastructure/events/typeorm-event.repository.js';
import { webhooksTables } from './infrastructure/webhooks.tables.js';
import {
  ARRIVED,
  BROKEN,
  FakeReceivers,
  GONE,
  REFUSED,
  responded,
  SILENT,
} from './testing/fake-receivers.js';
import { WebhooksModule } from './webhooks.module.js';

const TABLES = [accessTables, petsTables, ordersTables, idempotencyTables, jobsTables, webhooksTables];
const MINUTE_MS = 60_000;
const ALL_EVENTS = events.map(({ name }) => name);

describe.each(databases)('WebhooksModule on %s', (kind, open) => {
  /** For what the clock and the responses of receivers decide: what a database stores of it is in its contracts. */
  const [describeOnce, itOnce] = kind === 'SQLite' ? [describe, it] : [() => undefined, () => undefined];
  const temporary = emptyBeforeEach(open, ...TABLES);
  let clock: FakeClock;
  let receivers: FakeReceivers;
  let store: TestingModule;
  /** By their ids. An account has one that is called as it is. */
  let keys: Map<string, Parameters<typeof anApiKey>[0]>;
  let settings: { mostPending: number; events: 'subscribed' };

  beforeEach(async () => {
    keys = new Map();
    settings = { mostPending: 10_000, events: 'subscribed' };
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    receivers = new FakeReceivers();
    store = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings({}), clock),
        DatabaseModule.forRoot(temporary.database),
        OrdersModule,
        WebhooksModule,
      ],
    })
      .overrideProvider(Receivers)
      .useValue(receivers)
      .overrideProvider(FindKey)
      .useValue({
        execute: async ({ id }: { id: string }) => anApiKey({ id, createdAtMs: 0, ...keys.get(id) }),
      })
      .overrideProvider(WebhookSettings)
      .useValue(settings)
      .compile();
    // As at the start of a server, but for the hooks that close the database.
    await store.get(JobWorker).onApplicationBootstrap();
    await store.get(EventInterests).refresh();
    store.get(WebhooksModule).onModuleInit();
  });

  afterEach(() => Traces.use(null));

  async function runJobs() {
    const ran: Awaited<ReturnType<JobWorker['runDue']>> = [];
    for (let count = -1; count !== ran.length;) {
      count = ran.length;
      await store.get(FanOutEvents).runDue();
      ran.push(...(await store.get(JobWorker).runDue()));
    }
    return ran;
  }
  const addPet = async () => (await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n })).id;
  const webhookOf = (id: bigint, account = 'zoo') => store.get(OwnWebhooks).get(account, id);

  /** One whose test has arrived. */
  async function create(events: readonly string[] = ['animal.added'], account = 'zoo'): Promise<bigint> {
    const id = await createPending(events, account);
    const { outcomeOf } = receivers;
    receivers.outcomeOf = () => ARRIVED;
    await store.get(JobWorker).runDue();
    receivers.outcomeOf = outcomeOf;
    expect(receivers.testsOf(id)).toBe(1);
    receivers.sent.length = 0;
    return id;
  }

  async function createPending(
    events: readonly string[] = ['animal.added'],
    account = 'zoo',
  ): Promise<bigint> {
    const url = `https://${account.replaceAll(' ', '-')}.example/webhooks`;
    const terms = { account, createdBy: account, url, events };
    return (await store.get(OwnWebhooks).create(terms)).id;
  }

  const test = (webhookId: bigint, account = 'zoo', keyId = account) =>
    store.get(OwnWebhooks).test(account, webhookId, { keyId, scopes: keys.get(keyId)?.scopes });

  /** The newest first. */
  async function deliveriesOf(webhookId: bigint, account = 'zoo', areTests = false) {
    const page = { limit: 100, after: null };
    const { items } = await store.get(OwnWebhooks).listDeliveries(account, webhookId, {}, page);
    return items.filter(({ event }) => (event.type === TEST_EVENT) === areTests);
  }

  const testsOf = (webhookId: bigint) => deliveriesOf(webhookId, 'zoo', true);

  async function eventCount(): Promise<number> {
    const rows = await temporary.database.query(`SELECT 1 FROM events WHERE type <> '${TEST_EVENT}'`);
    return rows.length;
  }

  /** When the job of a webhook runs next; null when it has none. */
  async function dueAtMs(webhookId: bigint): Promise<number | null> {
    const jobs = await store.get(JobAdmin).list({ kind: 'webhooks.deliver', limit: 1_000 });
    return jobs.find((job) => job.subject === String(webhookId) && job.endedAtMs === null)?.dueAtMs ?? null;
  }

  /** Moves the clock to when the webhook is due, and runs that. */
  async function runNextTry(webhookId: bigint): Promise<void> {
    clock.advance(Math.max(0, (await dueAtMs(webhookId))! - clock.now()));
    await store.get(EventInterests).refresh();
    await runJobs();
  }

  it('stores nothing when nobody has subscribed, or another account to its own orders', async () => {
    await store.get(PlaceOrder).execute('zoo', await addPet());
    expect(await eventCount()).toBe(0);

    await create(['order.completed']);
    await create(['order.placed'], 'circus');
    await store.get(PlaceOrder).execute('zoo', await addPet());
    expect(await eventCount()).toBe(0);
  });

  it('notifies each account of all animals, and of its own orders', async () => {
    const [zoo, circus] = [await create(ALL_EVENTS), await create(ALL_EVENTS, 'circus')];
    const petId = await addPet();
    const { id } = await store.get(PlaceOrder).execute('zoo', petId);
    await store.get(EndOrder).execute('zoo', id, 'complete');
    await runJobs();

    const typesOf = async (webhookId: bigint, account: string) =>
      (await deliveriesOf(webhookId, account)).map(({ event, status }) => `${event.type} ${status}`).sort();
    const animals = ['animal.added', 'animal.status_changed', 'animal.status_changed'].map(
      (type) => `${type} delivered`,
    );
    expect(await typesOf(zoo, 'zoo')).toEqual([
      ...animals,
      'order.completed delivered',
      'order.placed delivered',
    ]);
    expect(await typesOf(circus, 'circus')).toEqual(animals);
  });

  itOnce('sends each delivery in a trace that is linked to what has caused its event', async () => {
    await create();
    const linked: unknown[] = [];
    let span = 'of the addition';
    Traces.use({
      activeSpan: () => span,
      linked: (name, cause, work) => {
        linked.push([name, cause]);
        return work();
      },
    });
    await addPet();
    span = 'of a job';
    await runJobs();

    expect(linked).toEqual([['webhook delivery', 'of the addition']]);
  });

  it('notifies nobody of what was rolled back', async () => {
    const webhookId = await create();
    const failing = temporary.database.run(async (transaction) => {
      await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n }, transaction);
      throw new Error('planted');
    });
    await expect(failing).rejects.toThrow('planted');
    await runJobs();

    expect(receivers.sent).toEqual([]);
    expect(await deliveriesOf(webhookId)).toEqual([]);
  });

  it('gives all webhooks of an event one id, also when it is sent again', async () => {
    const [first, second] = [await create(), await create()];
    receivers.outcomeOf = ({ id }) => (id === first ? BROKEN : ARRIVED);
    await addPet();
    await runJobs();
    receivers.outcomeOf = () => ARRIVED;
    await runNextTry(first);

    expect(receivers.sent.map(({ webhookId }) => webhookId).sort()).toEqual([first, first, second]);
    expect(new Set(receivers.sent.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(receivers.sent.map(({ body }) => body)).size).toBe(1);
  });

  it('notifies more webhooks than a step has, each once', async () => {
    for (let count = 0; count < 130; count++) await create(['animal.added'], `zoo ${count}`);
    await addPet();
    await runJobs();

    expect(receivers.sent).toHaveLength(130);
    expect(new Set(receivers.sent.map(({ webhookId }) => webhookId)).size).toBe(130);
    expect(await temporary.database.query('SELECT 1 FROM events WHERE told_up_to IS NOT NULL')).toEqual([]);
  });

  it('sends what comes together by one job, and stores a body once', async () => {
    const [webhookId, other] = [await create(), await create(['animal.added'], 'circus')];
    const petIds: number[] = [];
    for (let count = 0; count < 45; count++) petIds.push(Number(await addPet()));
    const ran = await runJobs();

    for (const id of [webhookId, other])
      expect(receivers.receivedBy(id).sort((a, b) => Number(a) - Number(b))).toEqual(petIds);
    expect(ran).toHaveLength(2);
    expect(await eventCount()).toBe(45);
    expect(await dueAtMs(webhookId)).toBeNull();
    expect((await webhookOf(webhookId)).pending).toBe(0);
  });

  it('polls at once for an event that was committed while it polled', async () => {
    await create();
    const fanOut = store.get(FanOutEvents);
    Object.assign(fanOut, { isStarted: true });
    jest.spyOn(fanOut['task'], 'start').mockReturnValue();
    const { openAudiences } = TypeOrmEventRepository.prototype;
    const looking = jest.spyOn(store.get(EventRepository), 'openAudiences');
    looking.mockImplementationOnce(async function (this: TypeOrmEventRepository, ...words) {
      const found = await openAudiences.apply(this, words);
      await addPet();
      return found;
    });

    expect(await fanOut['step']()).toBe(0);
    expect(await fanOut['step']()).toBe(1_000);
    expect(await store.get(EventRepository).openAudiences('', 1)).toEqual([]);
  });

  itOnce('says how long ago events could be fanned out', async () => {
    const fanOut = store.get(FanOutEvents);
    Object.assign(fanOut, { isStarted: true });
    jest.spyOn(fanOut['task'], 'start').mockReturnValue();
    await fanOut['task'].run();
    clock.advance(7_000);
    expect(fanOut.idleSeconds).toBe(7);
    jest.spyOn(store.get(EventRepository), 'openAudiences').mockRejectedValueOnce(new Error('planted'));
    const log = jest.spyOn(fanOut['logger'], 'error').mockReturnValue();
    await fanOut['task'].run();
    expect(log).toHaveBeenCalledWith('Events cannot be fanned out.', new Error('planted'));
    expect(fanOut.idleSeconds).toBe(7);
    await fanOut['task'].run();
    expect(fanOut.idleSeconds).toBe(0);
  });

  it('needs five transactions from an order to its delivery', async () => {
    await create(['order.placed']);
    const petId = await addPet();
    const { database } = temporary;
    // Those of the worker are on the other connection.
    const begun = [...new Set([database, database.background])].map((one) =>
      jest.spyOn(one as never, 'begin' as never),
    );
    await store.get(PlaceOrder).execute('zoo', petId);
    await store.get(FanOutEvents)['fanOutBatch']();
    await store.get(JobWorker)['step']();
    await store.get(JobWorker)['runs'].allEnded();

    expect(receivers.sent).toHaveLength(1);
    // On SQLite all but the order's have a lower priority than requests.
    const expected = database.dialect === 'sqlite' ? [1, 4] : [3, 2];
    expect(begun.map(({ mock }) => mock.calls.length)).toEqual(expected);
  });

  it('sends what comes after a delivery that was refused, and stores one job for its retry', async () => {
    const webhookId = await create();
    const refused = Number(await addPet());
    receivers.outcomeOf = (_, { event }) =>
      (JSON.parse(event.body) as { data: { id: number } }).data.id === refused ? BROKEN : ARRIVED;
    await runJobs();
    await runNextTry(webhookId);
    const others: number[] = [];
    for (let count = 0; count < 5; count++) {
      others.push(Number(await addPet()));
      await runJobs();
    }

    expect(receivers.receivedBy(webhookId)).toEqual([refused, refused, ...others]);
    const delayed = { kind: 'webhooks.deliver', state: 'delayed', limit: 100 } as const;
    expect(await store.get(JobAdmin).list(delayed)).toHaveLength(1);
    await runNextTry(webhookId);
    expect(receivers.receivedBy(webhookId)).toEqual([refused, refused, ...others, refused]);
  });

  itOnce(
    'signs with a new secret from the next request on, and sends nothing once it is deleted',
    async () => {
      const webhookId = await create();
      for (let count = 0; count < 5; count++) await addPet();
      const secrets: number[] = [];
      receivers.outcomeOf = async (webhook) => {
        secrets.push(webhook.secrets.length);
        if (secrets.length === 2) await store.get(OwnWebhooks).rotateSecret('zoo', webhookId);
        if (secrets.length === 4) await store.get(OwnWebhooks).delete('zoo', webhookId);
        return ARRIVED;
      };
      await runJobs();

      expect(secrets).toEqual([1, 1, 2, 2]);
    },
  );

  it('never has two requests at one receiver at a time', async () => {
    const ids = [await create(), await create(['animal.added'], 'circus')];
    const open = new Map<bigint, number>();
    let max = 0;
    receivers.outcomeOf = async ({ id }) => {
      open.set(id, (open.get(id) ?? 0) + 1);
      max = Math.max(max, open.get(id)!);
      await new Promise((next) => setImmediate(next));
      open.set(id, open.get(id)! - 1);
      return ARRIVED;
    };
    const adding = Promise.all(Array.from({ length: 60 }, addPet));
    await Promise.all([adding, runJobs()]);
    await runJobs();

    expect(max).toBe(1);
    for (const id of ids) expect(receivers.receivedBy(id)).toHaveLength(60);
  });

  describeOnce('A receiver that is dead', () => {
    let webhookId: bigint;

    beforeEach(async () => {
      webhookId = await create();
      receivers.outcomeOf = () => BROKEN;
      for (let day = 0; day <= 7; day++) {
        await addPet();
        await runJobs();
        clock.advance(DAY_MS);
        await store.get(EventInterests).refresh();
        await runJobs();
      }
      expect(await webhookOf(webhookId)).toMatchObject({ disabledReason: 'failing' });
    });

    it('gets nothing more: what is pending fails, as does a test', async () => {
      const [last, ...others] = await deliveriesOf(webhookId);
      expect([last, ...others].map((one) => one!.status)).not.toContain('pending');
      expect(last!.problem).toBe('The webhook was disabled.');
      const sent = receivers.sent.length;
      await addPet();
      await runJobs();
      expect(receivers.sent).toHaveLength(sent);
      expect(await deliveriesOf(webhookId)).toHaveLength(1 + others.length);

      await test(webhookId);
      await runJobs();
      expect((await testsOf(webhookId))[0]).toMatchObject({ status: 'failed', attempts: 1 });
      expect((await webhookOf(webhookId)).status).toBe('disabled');
    });

    it.each(['a test', 'a delivery that is retried'])('is enabled by %s that arrives', async (requested) => {
      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      const oldest = (await deliveriesOf(webhookId)).at(-1)!;
      if (requested === 'a test') await test(webhookId);
      else await store.get(OwnWebhooks).retry('zoo', webhookId, oldest.id);
      await runJobs();
      expect(await webhookOf(webhookId)).toMatchObject({
        status: 'enabled',
        failures: 0,
        failingSinceMs: null,
        disabledAtMs: null,
      });
      const petId = await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId).at(-1)).toBe(Number(petId));
    });
  });

  it('sends a delivery again that is retried while it is sent, and stores the second result', async () => {
    const webhookId = await create();
    await addPet();
    receivers.outcomeOf = async (_, { id }) => {
      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      await store.get(OwnWebhooks).retry('zoo', webhookId, id);
      return BROKEN;
    };
    await runJobs();

    expect(receivers.sent).toHaveLength(2);
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(await dueAtMs(webhookId)).toBeNull();
  });

  it('sends nothing of a webhook that was deleted, and ends what was pending', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => BROKEN;
    for (let count = 0; count < 450; count++) await addPet();
    await runJobs();
    receivers.sent.length = 0;
    await store.get(OwnWebhooks).delete('zoo', webhookId);
    await addPet();
    clock.advance(DAY_MS);
    await runJobs();

    expect(receivers.sent).toEqual([]);
    const pending = await temporary.database.query(
      "SELECT 1 FROM webhook_deliveries WHERE status = 'pending'",
    );
    expect(pending).toEqual([]);
  });

  it('continues where a server was stopped: what was not sent is sent by the next job', async () => {
    const webhookId = await create();
    for (let count = 0; count < 5; count++) await addPet();
    let count = 0;
    receivers.outcomeOf = () => {
      if (++count !== 3) return ARRIVED;
      // As when its signal is aborted.
      receivers.outcomeOf = () => ARRIVED;
      return null;
    };
    await runJobs();

    expect(receivers.receivedBy(webhookId)).toHaveLength(5);
    expect(new Set(receivers.receivedBy(webhookId)).size).toBe(5);
  });

  it('continues after ten kills of the servers that sent', async () => {
    const webhookId = await create();
    await addPet();
    const worker = store.get(JobWorker);
    let begun = 0;
    receivers.outcomeOf = () => {
      begun++;
      return new Promise(() => undefined);
    };
    await store.get(FanOutEvents).runDue();
    for (let kills = 1; kills <= 10; kills++) {
      await worker['step']();
      while (begun < kills) await new Promise(setImmediate);
      // A server that is killed stores nothing of what it runs, and its slots end. Its leases expire.
      worker['runs'].abandon();
      Object.assign(store.get(Deliver), { slots: new DeliverySlots() });
      clock.advance(31_000);
    }
    receivers.outcomeOf = () => ARRIVED;
    await runJobs();

    expect(begun).toBe(10);
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(await store.get(JobAdmin).list({ kind: 'webhooks.deliver', limit: 9 })).toMatchObject([
      { state: 'done', attempts: 11 },
      { state: 'done', attempts: 1 },
    ]);
  });

  itOnce(
    'disables a webhook at once whose receiver responds with 410: nothing more is sent, and what is pending fails',
    async () => {
      const webhookId = await create();
      for (let count = 0; count < 3; count++) await addPet();
      receivers.outcomeOf = () => GONE;
      await runJobs();

      expect(receivers.sent).toHaveLength(1);
      expect(await webhookOf(webhookId)).toMatchObject({ disabledAtMs: clock.now(), disabledReason: 'gone' });
      const problems = (await deliveriesOf(webhookId)).map(({ status, problem }) => `${status}: ${problem}`);
      expect(problems.sort()).toEqual([
        'failed: The response was 410.',
        'failed: The webhook was disabled.',
        'failed: The webhook was disabled.',
      ]);
      await store.get(EventInterests).refresh();
      await addPet();
      await runJobs();
      expect(await deliveriesOf(webhookId)).toHaveLength(3);
    },
  );

  describeOnce('A new webhook', () => {
    it('is notified of nothing until a test has arrived, which is sent again for a day', async () => {
      receivers.outcomeOf = () => REFUSED;
      const webhookId = await createPending();
      await addPet();
      await runJobs();
      while ((await dueAtMs(webhookId)) !== null) await runNextTry(webhookId);

      expect(receivers.testsOf(webhookId)).toBe(7);
      expect(receivers.receivedBy(webhookId)).toEqual([]);
      expect(await deliveriesOf(webhookId)).toEqual([]);
      expect(await webhookOf(webhookId)).toMatchObject({ status: 'pending', pending: 0 });

      receivers.outcomeOf = () => ARRIVED;
      await test(webhookId);
      await runJobs();
      expect((await webhookOf(webhookId)).status).toBe('enabled');
      const petId = await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toEqual([Number(petId)]);
    });
  });

  describeOnce('A receiver that sends a Retry-After', () => {
    it('gets one request until then, and what is pending has its attempts', async () => {
      const webhookId = await create();
      receivers.outcomeOf = () => responded(429, 60_000);
      for (let count = 0; count < 30; count++) await addPet();
      await runJobs();
      clock.advance(59_999);
      await addPet();
      await runJobs();
      expect(receivers.sent).toHaveLength(1);
      expect(new Set((await deliveriesOf(webhookId)).map(({ attempts }) => attempts))).toEqual(new Set([0]));

      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      await runJobs();
      expect(new Set(receivers.receivedBy(webhookId)).size).toBe(31);
      expect(await webhookOf(webhookId)).toMatchObject({ pausedUntilMs: null, failures: 0, pending: 0 });
      // With the test of the new webhook. Of 31 deliveries one comes a millisecond after its event.
      const { outcomes, lateSeconds } = store.get(Deliver);
      expect(Object.fromEntries(outcomes)).toMatchObject({ delivered: 32, paused: 1, no_response: 0 });
      expect(lateSeconds).toBeCloseTo(30 * 60 + 0.001, 4);
    });

    it('gets a test that is requested meanwhile', async () => {
      const webhookId = await create();
      receivers.outcomeOf = () => responded(503, 60_000);
      await addPet();
      await runJobs();
      receivers.outcomeOf = () => ARRIVED;
      await test(webhookId);
      await runJobs();

      expect(receivers.testsOf(webhookId)).toBe(1);
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);
      clock.advance(60_000);
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(2);
    });
  });

  describe('What is pending of a webhook', () => {
    it('has a bound: with more it is disabled, and what is pending ends', async () => {
      settings.mostPending = 25;
      const [slow, quick] = [await create(), await create(['animal.added'], 'circus')];
      receivers.outcomeOf = ({ id }) => (id === slow ? SILENT : ARRIVED);
      for (let count = 0; count < 24; count++) await addPet();
      await runJobs();
      expect((await webhookOf(slow)).pending).toBe(24);
      for (let count = 0; count < 10; count++) await addPet();
      await runJobs();

      expect(await webhookOf(slow)).toMatchObject({
        status: 'disabled',
        disabledReason: 'behind',
        pending: 0,
      });
      const pending = await deliveriesOf(slow);
      expect(pending.map(({ status }) => status)).not.toContain('pending');
      expect(pending.length).toBeLessThanOrEqual(25);
      expect(receivers.receivedBy(quick)).toHaveLength(34);
    });

    it('has that bound too when it is requested, and later one that arrives enables it', async () => {
      settings.mostPending = 3;
      const webhookId = await createPending();
      receivers.outcomeOf = () => SILENT;
      for (let count = 0; count < 9; count++) await test(webhookId);
      expect(await webhookOf(webhookId)).toMatchObject({ status: 'disabled', disabledReason: 'behind' });
      await runJobs();
      expect((await webhookOf(webhookId)).pending).toBe(0);
      expect(receivers.sent).toHaveLength(0);

      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      await test(webhookId);
      await runJobs();
      expect(await webhookOf(webhookId)).toMatchObject({ status: 'enabled', pending: 0 });
    });

    itOnce('is no older than three days: then it is disabled', async () => {
      const webhookId = await create();
      receivers.outcomeOf = () => responded(429, 3_600_000);
      await addPet();
      await runJobs();
      for (let hour = 1; hour <= 72; hour++) {
        clock.advance(60 * MINUTE_MS);
        await runJobs();
      }
      expect((await webhookOf(webhookId)).status).toBe('enabled');
      clock.advance(60 * MINUTE_MS);
      await runJobs();

      expect(await webhookOf(webhookId)).toMatchObject({ disabledReason: 'behind', pending: 0 });
      expect(receivers.sent).toHaveLength(73);
    });
  });

  it("notifies of an account's own order before everybody's animals, and before those of an account with many", async () => {
    for (let count = 0; count < 20; count++) await create(['order.placed', 'animal.added'], 'crowd');
    const zoo = await create(ALL_EVENTS);
    const pets = [];
    for (let count = 0; count < 71; count++) pets.push(await addPet());
    for (const petId of pets.slice(1)) await store.get(PlaceOrder).execute('crowd', petId);
    await store.get(PlaceOrder).execute('zoo', pets[0]!);
    await store.get(FanOutEvents)['fanOutBatch']();
    await store.get(JobWorker).runDue();

    const own = receivers.sent.find(({ webhookId }) => webhookId === zoo);
    expect(own?.type).toBe('order.placed');
    await runJobs();
    expect(receivers.receivedBy(zoo)).toHaveLength(71 + 71 + 1);
  });

  it('notifies other accounts, and everybody, while the events of one cannot be read', async () => {
    for (const account of ['ark', 'zoo']) await create(ALL_EVENTS, account);
    const petId = await addPet();
    await store.get(PlaceOrder).execute('ark', petId);
    await store.get(PlaceOrder).execute('zoo', await addPet());
    const { lockOpen } = TypeOrmEventRepository.prototype;
    const failing = jest.spyOn(store.get(EventRepository), 'lockOpen');
    failing.mockImplementation(async function (this: TypeOrmEventRepository, audience, ...words) {
      if (audience === 'ark') throw new Error('planted');
      return lockOpen.call(this, audience, ...words);
    });

    const fanOut = store.get(FanOutEvents);
    const log = jest.spyOn(fanOut['logger'], 'error').mockReturnValue();
    await fanOut.runDue();
    await store.get(JobWorker).runDue();
    expect(log).toHaveBeenCalledWith('Events cannot be fanned out.', new Error('planted'));
    await expect(fanOut.runDue()).rejects.toThrow('planted');
    expect(receivers.sent.filter(({ type }) => type === 'order.placed')).toHaveLength(1);
    expect(receivers.sent.filter(({ type }) => type === 'animal.added')).toHaveLength(4);

    failing.mockRestore();
    await runJobs();
    expect(receivers.sent.filter(({ type }) => type === 'order.placed')).toHaveLength(2);
  });

  it('notifies of an order after few deliveries to others, however many are on their way', async () => {
    for (let count = 0; count < 60; count++)
      await create(['animal.added'], `crowd ${Math.floor(count / 10)}`);
    const zoo = await create(['order.placed']);
    const pets = [];
    for (let count = 0; count < 60; count++) pets.push(await addPet());
    await store.get(FanOutEvents).runDue();
    const sent = async (isThere: () => boolean) => {
      while (!isThere()) await new Promise(setImmediate);
      return receivers.sent.length;
    };
    const worker = store.get(JobWorker);
    await worker['step']();
    const before = await sent(() => receivers.sent.length > 200);
    await store.get(PlaceOrder).execute('zoo', pets[0]!);
    await store.get(FanOutEvents)['fanOutBatch']();
    await worker['step']();
    const after = await sent(() => receivers.sent.some(({ webhookId }) => webhookId === zoo));
    await worker['runs'].allEnded();

    expect(receivers.sent).toHaveLength(60 * 60 + 1);
    // On PostgreSQL others send while a statement is on its way.
    expect(after - before).toBeLessThan(temporary.database.dialect === 'sqlite' ? 500 : 2_000);
  });

  it('has few transactions wait for the database, however many webhooks it notifies at once', async () => {
    const ids: bigint[] = [];
    for (let count = 0; count < 12; count++) ids.push(await create(['animal.added'], `zoo ${count}`));
    await addPet();
    await store.get(FanOutEvents).runDue();
    const deliver = store.get(Deliver);
    const storeOne = deliver['store'].bind(deliver);
    let [running, most] = [0, 0];
    deliver['store'] = async (...words) => {
      most = Math.max(most, ++running);
      return storeOne(...words).finally(() => running--);
    };
    await Promise.all(ids.map((id) => deliver.execute(id, new AbortController().signal)));

    expect(receivers.sent).toHaveLength(12);
    expect(most).toBe(5);
  });

  describeOnce('A turn of a webhook', () => {
    const deliver = (webhookId: bigint, signal = new AbortController().signal) =>
      store.get(Deliver).execute(webhookId, signal);
    const pendingOf = async (webhookId: bigint) =>
      (await store.get(WebhookRepository).find(webhookId))!.pending;

    async function createWithPending(count: number): Promise<bigint> {
      const webhookId = await create();
      for (let added = 0; added < count; added++) await addPet();
      await store.get(FanOutEvents).runDue();
      return webhookId;
    }

    it('lasts five seconds, and stores each second what has arrived', async () => {
      const webhookId = await createWithPending(25);
      const pending: number[] = [];
      receivers.outcomeOf = async () => {
        pending.push(await pendingOf(webhookId));
        clock.advance(250);
        return ARRIVED;
      };

      expect(await deliver(webhookId)).toEqual({ inMs: 0 });
      expect(pending).toEqual([25, 21, 17, 13, 9].flatMap((count) => Array<number>(4).fill(count)));
      expect(await pendingOf(webhookId)).toBe(5);
    });

    it('ends in time also when it has something to store before', async () => {
      const webhookId = await createWithPending(25);
      receivers.outcomeOf = () => {
        clock.advance(300);
        return ARRIVED;
      };

      expect(await deliver(webhookId)).toEqual({ inMs: 0 });
      expect(receivers.receivedBy(webhookId)).toHaveLength(17);
    });

    it('ends with the request that is open when the server stops', async () => {
      const webhookId = await createWithPending(5);
      const stop = new AbortController();
      receivers.outcomeOf = () => {
        if (receivers.sent.length === 1) stop.abort();
        return ARRIVED;
      };

      expect(await deliver(webhookId, stop.signal)).toEqual({ inMs: 0 });
      expect(receivers.sent).toHaveLength(2);
      expect(await pendingOf(webhookId)).toBe(3);
    });

    it('stores that a receiver was silent before it sends the next test', async () => {
      const webhookId = await create();
      await test(webhookId);
      await test(webhookId);
      const attempts: number[] = [];
      receivers.outcomeOf = async () => {
        attempts.push(Math.max(...(await testsOf(webhookId)).map((one) => one.attempts)));
        return SILENT;
      };
      await deliver(webhookId);

      expect(attempts).toEqual([1, 1]);
      expect((await testsOf(webhookId)).map((one) => one.attempts)).toEqual([1, 1, 1]);
    });

    it.each<[string, (webhookId: bigint) => Promise<unknown> | void]>([
      ['was deleted', (webhookId) => store.get(OwnWebhooks).delete('zoo', webhookId)],
      ['is of a suspended account', () => void keys.set('zoo', { suspendedAtMs: 1 })],
    ])('of one that %s ends what is pending, sends nothing, and is the last one', async (_, happens) => {
      const webhookId = await createWithPending(3);
      await happens(webhookId);
      const stopped = new AbortController();
      stopped.abort();

      expect(await deliver(webhookId, stopped.signal)).toEqual({ inMs: 0 });
      expect(await deliver(webhookId)).toBeUndefined();
      expect(receivers.sent).toEqual([]);
    });

    it('of one that is deleted meanwhile ends with its open request', async () => {
      const webhookId = await createWithPending(3);
      receivers.outcomeOf = async () => {
        await store.get(OwnWebhooks).delete('zoo', webhookId);
        return ARRIVED;
      };

      expect(await deliver(webhookId)).toBeUndefined();
      expect(receivers.sent).toHaveLength(1);
    });

    it('measures how late events are by those that arrive', async () => {
      const webhookId = await createWithPending(2);
      const { lateSeconds } = store.get(Deliver);
      clock.advance(1_500);
      receivers.outcomeOf = () => (receivers.sent.length === 0 ? ARRIVED : REFUSED);
      await deliver(webhookId);

      expect(receivers.sent).toHaveLength(2);
      expect(store.get(Deliver).lateSeconds - lateSeconds).toBe(1.5);
    });
  });

  describe('The maker of a webhook', () => {
    it('that is revoked in its grace ends it: its successor does not inherit it', async () => {
      const webhookId = await create();
      const rotatedAtMs = clock.now();
      const rotated = { replacedBy: 'next', expiresAtMs: rotatedAtMs + 60 * MINUTE_MS };
      keys.set('zoo', rotated).set('next', { createdAtMs: rotatedAtMs });
      await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);

      clock.advance(MINUTE_MS);
      keys.set('zoo', { ...rotated, revokedAtMs: clock.now() });
      await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', disabledReason: 'no_key' });
    });

    it('is named for ever, and its key counts again when the one that took it over is revoked', async () => {
      keys.set('zoo', { expiresAtMs: clock.now() + DAY_MS });
      const webhookId = await create();
      await test(webhookId, 'zoo', 'other');
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', ownerKey: 'other' });

      keys.set('other', { revokedAtMs: clock.now() });
      await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', ownerKey: 'zoo' });
    });

    it('of one of the release before is the key that had it then', async () => {
      const webhookId = await create();
      const { database } = temporary;
      const asBefore = 'UPDATE webhooks SET made_by = NULL';
      await database.run((transaction) => database.session(transaction).query(asBefore));
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: null, ownerKey: 'zoo' });

      keys.set('zoo', { expiresAtMs: clock.now() + DAY_MS });
      await test(webhookId, 'zoo', 'other');
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', ownerKey: 'other' });
    });
  });

  describeOnce('The key of a webhook', () => {
    it('that does not work any more ends it, until another one tests it', async () => {
      const [zoo, circus] = [await create(), await create(['animal.added'], 'circus')];
      keys.set('circus', { revokedAtMs: 1 });
      await addPet();
      await runJobs();

      expect(receivers.sent.map(({ webhookId }) => webhookId)).toEqual([zoo]);
      expect(await webhookOf(circus, 'circus')).toMatchObject({
        status: 'disabled',
        disabledAtMs: clock.now(),
        disabledReason: 'no_key',
      });
      expect(await deliveriesOf(circus, 'circus')).toMatchObject([
        { status: 'failed', attempts: 0, problem: 'The webhook was disabled.' },
      ]);
      clock.advance(1);
      await test(circus, 'circus', 'another');
      await runJobs();
      expect(await webhookOf(circus, 'circus')).toMatchObject({
        status: 'enabled',
        ownerKey: 'another',
        disabledReason: null,
      });
    });

    it('whose account is suspended gets nothing meanwhile, and continues when that has resumed', async () => {
      const webhookId = await create();
      const missed = await addPet();
      keys.set('zoo', { suspendedAtMs: 1 });
      await runJobs();
      clock.advance(4 * DAY_MS);
      await store.get(EventInterests).refresh();
      await addPet();
      await runJobs();
      expect(receivers.sent).toEqual([]);
      expect(await deliveriesOf(webhookId)).toMatchObject([
        { status: 'failed', attempts: 0, problem: 'The account was suspended.' },
        { status: 'failed', attempts: 0 },
      ]);
      expect(await webhookOf(webhookId)).toMatchObject({ status: 'enabled', pending: 0 });

      keys.set('zoo', {});
      const added = await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toEqual([Number(added)]);
      expect(added).not.toBe(missed);
    });

    it('that was rotated has a successor', async () => {
      const webhookId = await create();
      const createdAtMs = clock.now();
      keys
        .set('zoo', { revokedAtMs: createdAtMs, replacedBy: 'next' })
        .set('next', { createdAtMs, replacedBy: 'last', expiresAtMs: 1 })
        .set('last', { createdAtMs });
      await addPet();
      await runJobs();

      expect(receivers.receivedBy(webhookId)).toHaveLength(1);
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', ownerKey: 'last' });
    });

    it('that was replaced already when it made one has no successor for that one', async () => {
      keys.set('zoo', { replacedBy: 'next' }).set('next', { createdAtMs: clock.now() });
      clock.advance(1);
      const webhookId = await create();
      await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);

      keys.set('zoo', { replacedBy: 'next', expiresAtMs: clock.now() });
      await addPet();
      await runJobs();
      expect(receivers.receivedBy(webhookId)).toHaveLength(1);
      expect(await webhookOf(webhookId)).toMatchObject({ createdBy: 'zoo', disabledReason: 'no_key' });
    });

    it('must have the scopes of what it is notified of, also later', async () => {
      const [animals, orders] = [await create(), await create(['order.placed', 'animal.added'])];
      keys.set('zoo', { scopes: ['pets:read', 'webhooks:write'] });
      await addPet();
      await runJobs();

      expect(receivers.receivedBy(animals)).toHaveLength(1);
      expect(receivers.receivedBy(orders)).toEqual([]);
      expect(await webhookOf(orders)).toMatchObject({ disabledReason: 'insufficient_scope' });
      // A test with the same key is not sent either.
      clock.advance(1);
      await test(orders);
      await runJobs();
      expect(receivers.testsOf(orders)).toBe(0);
    });

    it.each([
      ['works for longer', { expiresAtMs: null }, 'other'],
      ['works for less long', { expiresAtMs: Date.UTC(2026, 2, 15) }, 'zoo'],
      ['may not read its events', { expiresAtMs: null, scopes: ['orders:read'] }, 'zoo'],
    ])('is another one after a test, or not: that %s', async (_, other, expected) => {
      keys.set('zoo', { expiresAtMs: Date.UTC(2026, 2, 20) }).set('other', other);
      const webhookId = await create();
      await test(webhookId, 'zoo', 'other');

      expect((await webhookOf(webhookId)).ownerKey).toBe(expected);
    });

    it('that does not work sends no test that was requested before', async () => {
      const webhookId = await create();
      await test(webhookId);
      keys.set('zoo', { revokedAtMs: 1 });
      await runJobs();

      expect(receivers.sent).toEqual([]);
      expect((await testsOf(webhookId))[0]).toMatchObject({ status: 'failed', attempts: 0 });
    });
  });

  describe('Events', () => {
    const list = (account: string) =>
      store.get(ReadEvents).list(account, ALL_EVENTS, { limit: 100, after: null });

    it('can be read as they were sent, also by an account whose receiver was away', async () => {
      const webhookId = await create(ALL_EVENTS);
      receivers.outcomeOf = () => GONE;
      const petId = await addPet();
      await runJobs();
      await store.get(PlaceOrder).execute('zoo', petId);
      await runJobs();
      expect((await webhookOf(webhookId)).status).toBe('disabled');
      clock.advance(10_000);

      const { items } = await list('zoo');
      expect(items.map(({ type }) => type).sort()).toEqual([
        'animal.added',
        'animal.status_changed',
        'order.placed',
      ]);
      expect(items[0]).toMatchObject({ eventId: receivers.sent[0]!.eventId, body: receivers.sent[0]!.body });
      expect((await list('circus')).items.map(({ type }) => type)).not.toContain('order.placed');
    });
  });
});
