import { Test, type TestingModule } from '@nestjs/testing';
import { DeprecationModule } from '@animal-store/deprecation';
import { DatabaseModule } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { IdempotencyModule, idempotencyTables } from '@animal-store/web/idempotency';
import { JobAdmin, JobsModule, jobsTables, JobWorker } from '@animal-store/jobs';
import { JobRunner } from '@animal-store/jobs/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { OutgoingModule } from '@animal-store/web/outgoing';

import { accessTables } from '../access/infrastructure/access.tables.js';
import { OwnKeys } from '../access/application/own-keys.use-case.js';
import { PlaceOrder } from '../orders/application/place-order.use-case.js';
import { CompleteOrder } from '../orders/application/complete-order.use-case.js';
import { ordersTables } from '../orders/infrastructure/orders.tables.js';
import { OrdersModule } from '../orders/orders.module.js';
import { CreatePet } from '../pets/application/create-pet.use-case.js';
import { petsTables } from '../pets/infrastructure/pets.tables.js';
import { SettingsModule } from '../settings/settings.module.js';
import { loadSettings } from '../settings/settings.js';
import { AnnounceEvent } from './application/deliveries/announce-event.use-case.js';
import { ListDeliveries } from './application/deliveries/list-deliveries.use-case.js';
import { RetryDelivery } from './application/deliveries/retry-delivery.use-case.js';
import { TestWebhook } from './application/deliveries/test-webhook.use-case.js';
import { CreateWebhook } from './application/subscriptions/create-webhook.use-case.js';
import { DeleteWebhook } from './application/subscriptions/delete-webhook.use-case.js';
import { GetWebhook } from './application/subscriptions/get-webhook.use-case.js';
import { RotateSecret } from './application/subscriptions/rotate-secret.use-case.js';
import type { Delivery } from './domain/delivery.js';
import { Receivers } from './domain/receivers.js';
import { TooManyWebhooks, WebhookNotFound } from './domain/webhook.errors.js';
import { EVERYBODY, WEBHOOK_EVENTS, type WebhookEvent } from './domain/webhook-event.js';
import { WebhookRepository } from './domain/webhook.repository.js';
import { PolledInterests } from './infrastructure/subscriptions/polled-interests.js';
import { webhooksTables } from './infrastructure/webhooks.tables.js';
import { ARRIVED, FakeReceivers, GONE, REFUSED, SILENT } from './testing/fake-receivers.js';
import { WebhooksModule } from './webhooks.module.js';

const TABLES = [accessTables, petsTables, ordersTables, idempotencyTables, jobsTables, webhooksTables];
const MINUTE_MS = 60_000;

describe.each(databases)('WebhooksModule on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, ...TABLES);
  let clock: FakeClock;
  let receivers: FakeReceivers;
  let store: TestingModule;
  /** Accounts without a key that works. */
  let keyless: Set<string>;

  beforeEach(async () => {
    keyless = new Set();
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    receivers = new FakeReceivers();
    store = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings({}), clock),
        DatabaseModule.forRoot(temporary.database),
        DeprecationModule.forRoot({ now: clock.now }),
        IdempotencyModule,
        JobsModule,
        OutgoingModule.forRoot({ allowHttp: false, allowPrivate: false }),
        OrdersModule,
        WebhooksModule,
      ],
    })
      .overrideProvider(Receivers)
      .useValue(receivers)
      .overrideProvider(OwnKeys)
      .useValue({ list: async (account: string) => ({ items: keyless.has(account) ? [] : ['a key'] }) })
      .compile();
    // As at the start of a server, but for the hooks that close the database.
    await store.get(JobWorker).onApplicationBootstrap();
    await store.get(PolledInterests).onModuleInit();
  });

  afterEach(() => store.get(PolledInterests).onModuleDestroy());

  const runJobs = () => new JobRunner(store).runDue();
  const addPet = async () => (await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n })).id;
  const webhookOf = (id: bigint, account = 'zoo') => store.get(GetWebhook).execute(account, id);

  async function create(
    events: readonly WebhookEvent[] = ['animal.added'],
    account = 'zoo',
  ): Promise<bigint> {
    const url = `https://${account.replaceAll(' ', '-')}.example/webhooks`;
    return (await store.get(CreateWebhook).execute({ account, url, events })).id;
  }

  /** The newest first. */
  async function deliveriesOf(webhookId: bigint, account = 'zoo'): Promise<readonly Delivery[]> {
    const page = { account, webhookId, limit: 100, after: null };
    return (await store.get(ListDeliveries).execute(page)).items;
  }

  async function jobCount(): Promise<number> {
    return (await store.get(JobAdmin).list({ limit: 10_000 })).length;
  }

  /** Moves the clock to where the webhook is to be looked at, and runs that. */
  async function runNextTry(webhookId: bigint): Promise<void> {
    const { wakeAtMs } = await webhookOf(webhookId);
    clock.advance(Math.max(0, wakeAtMs! - clock.now()));
    await store.get(PolledInterests).onModuleInit();
    await runJobs();
  }

  it('stores nothing when nobody has subscribed', async () => {
    const petId = await addPet();
    await store.get(PlaceOrder).execute('zoo', petId);

    expect(await jobCount()).toBe(0);
    await create(['order.completed']);
    await addPet();
    expect(await jobCount()).toBe(0);
  });

  it('stores nothing for the orders of other accounts', async () => {
    await create(['order.placed'], 'circus');
    await store.get(PlaceOrder).execute('zoo', await addPet());

    expect(await jobCount()).toBe(0);
  });

  it('tells each account of all animals, and of its own orders', async () => {
    const [zoo, circus] = [await create(WEBHOOK_EVENTS), await create(WEBHOOK_EVENTS, 'circus')];
    const petId = await addPet();
    const { id } = await store.get(PlaceOrder).execute('zoo', petId);
    await store.get(CompleteOrder).execute('zoo', id);
    await runJobs();

    const typesOf = async (webhookId: bigint, account: string) =>
      (await deliveriesOf(webhookId, account)).map(({ event, status }) => `${event} ${status}`).sort();
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

  it('tells nobody of what was rolled back', async () => {
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
    receivers.outcomeOf = ({ id }) => (id === first ? REFUSED : ARRIVED);
    await addPet();
    await runJobs();
    receivers.outcomeOf = () => ARRIVED;
    await runNextTry(first);

    expect(receivers.sent.map(({ webhookId }) => webhookId).sort()).toEqual([first, first, second]);
    expect(new Set(receivers.sent.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(receivers.sent.map(({ body }) => body)).size).toBe(1);
  });

  it('tells more webhooks than a step has, each once, also when the job is run again', async () => {
    for (let count = 0; count < 130; count++) await create(['animal.added'], `zoo ${count}`);
    await addPet();
    await runJobs();
    const announced = (await store.get(JobAdmin).list({ kind: 'webhooks.announce', limit: 1 }))[0]!;
    expect(receivers.sent).toHaveLength(130);

    const sql = `UPDATE jobs SET state = 'waiting', ended_at = NULL, tries_left = 1 WHERE id = ${announced.id}`;
    await temporary.database.run((transaction) => temporary.database.session(transaction).query(sql));
    expect((await runJobs())[0]).toEqual({ kind: 'webhooks.announce', state: 'done', problem: null });
    expect(receivers.sent).toHaveLength(130);
  });

  it('sends what comes together by few jobs, and locks the webhook for few transactions', async () => {
    const webhookId = await create();
    const locked = jest.spyOn(store.get(WebhookRepository), 'lockSubscribers');
    const petIds: number[] = [];
    for (let count = 0; count < 45; count++) petIds.push(Number(await addPet()));
    const ran = await runJobs();

    expect(receivers.toldOf(webhookId).sort((a, b) => Number(a) - Number(b))).toEqual(petIds);
    expect(ran.filter(({ kind }) => kind === 'webhooks.announce')).toHaveLength(45);
    expect(ran.filter(({ kind }) => kind === 'webhooks.deliver').length).toBeLessThan(20);
    expect(locked.mock.calls.length).toBeLessThan(20);
    expect((await webhookOf(webhookId)).wakeAtMs).toBeNull();
  });

  it('tries ten times in about three days, and has failed then', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => REFUSED;
    await addPet();
    await runJobs();
    const seconds: number[] = [];
    while ((await webhookOf(webhookId)).wakeAtMs !== null) await runNextTry(webhookId);
    for (const [index, { atMs }] of receivers.sent.entries())
      if (index > 0) seconds.push((atMs - receivers.sent[index - 1]!.atMs) / 1_000);

    expect(seconds).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(await deliveriesOf(webhookId)).toMatchObject([
      { status: 'failed', tries: 10, responseStatus: 500, problem: 'The response was 500.' },
    ]);
    expect(await webhookOf(webhookId)).toMatchObject({ failures: 10, disabledAtMs: null });
    const failed = await store.get(JobAdmin).list({ state: 'failed', limit: 10 });
    expect(failed).toEqual([]);
  });

  it('lets a receiver rest that does not respond, and goes on when it does', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => SILENT;
    for (let count = 0; count < 3; count++) await addPet();
    await runJobs();
    const tries: number[] = [receivers.sent.length];
    for (const restMs of [10_000, 20_000, 40_000]) {
      clock.advance(restMs - 1);
      await runJobs();
      tries.push(receivers.sent.length);
      clock.advance(1);
      await runJobs();
      tries.push(receivers.sent.length);
    }
    expect(tries).toEqual([1, 1, 2, 2, 3, 3, 4]);

    receivers.outcomeOf = () => ARRIVED;
    clock.advance(5 * MINUTE_MS);
    await runJobs();
    expect(
      (await deliveriesOf(webhookId)).filter(({ status }) => status === 'delivered').length,
    ).toBeGreaterThan(1);
    expect(await webhookOf(webhookId)).toMatchObject({ failures: 0, failingSinceMs: null });
  });

  it('sends what comes behind a delivery that was refused, and stores one job for its retry', async () => {
    const webhookId = await create();
    const refused = Number(await addPet());
    receivers.outcomeOf = (_, { body }) =>
      (JSON.parse(body) as { data: { id: number } }).data.id === refused ? REFUSED : ARRIVED;
    await runJobs();
    await runNextTry(webhookId);
    const others: number[] = [];
    for (let count = 0; count < 5; count++) {
      others.push(Number(await addPet()));
      await runJobs();
    }

    expect(receivers.toldOf(webhookId)).toEqual([refused, refused, ...others]);
    const delayed = { kind: 'webhooks.deliver', state: 'delayed', limit: 100 } as const;
    expect(await store.get(JobAdmin).list(delayed)).toHaveLength(1);
    await runNextTry(webhookId);
    expect(receivers.toldOf(webhookId)).toEqual([refused, refused, ...others, refused]);
  });

  it('signs with a new secret from the next request on, and sends nothing once it is deleted', async () => {
    const webhookId = await create();
    for (let count = 0; count < 5; count++) await addPet();
    const secrets: number[] = [];
    receivers.outcomeOf = async (webhook) => {
      secrets.push(webhook.secrets.length);
      if (secrets.length === 2) await store.get(RotateSecret).execute('zoo', webhookId);
      if (secrets.length === 4) await store.get(DeleteWebhook).execute('zoo', webhookId);
      return ARRIVED;
    };
    await runJobs();

    expect(secrets).toEqual([1, 1, 2, 2]);
  });

  it('announces an event of a moment also when another one of it has no time left, or fails', async () => {
    await create();
    const announce = (id: string, event: WebhookEvent, signal = new AbortController().signal) =>
      store
        .get(AnnounceEvent)
        .execute({ id, event, audience: EVERYBODY, atMs: clock.now(), data: '{}' }, signal);
    const [late, broken] = [new Error('It took more than 60000 ms.'), new Error('planted')];
    const webhooks = store.get(WebhookRepository);
    const lock = webhooks.lockSubscribers.bind(webhooks);
    jest.spyOn(webhooks, 'lockSubscribers').mockImplementation((announcement, ...others) => {
      if (announcement.event === 'order.completed') throw broken;
      return lock(announcement, ...others);
    });

    expect(
      await Promise.allSettled([
        announce('evt_1', 'animal.added', AbortSignal.abort(late)),
        announce('evt_2', 'order.completed'),
        announce('evt_3', 'animal.added'),
      ]),
    ).toEqual([
      { status: 'rejected', reason: late },
      { status: 'rejected', reason: broken },
      { status: 'fulfilled', value: undefined },
    ]);
    const added = await temporary.database.query('SELECT event_id AS "id" FROM webhook_deliveries');
    expect(added).toEqual([{ id: 'evt_3' }]);
  });

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
    for (const id of ids) expect(receivers.toldOf(id)).toHaveLength(60);
  });

  describe('A receiver that is dead', () => {
    async function die(webhookId: bigint): Promise<void> {
      receivers.outcomeOf = () => REFUSED;
      for (let day = 0; day <= 5; day++) {
        await addPet();
        await runJobs();
        clock.advance(DAY_MS);
        await store.get(PolledInterests).onModuleInit();
        await runJobs();
      }
      expect((await webhookOf(webhookId)).disabledAtMs).not.toBeNull();
    }

    it('is disabled after five days: what is pending fails, and nothing new is sent', async () => {
      const webhookId = await create();
      await die(webhookId);
      await runJobs();

      const pending = (await deliveriesOf(webhookId)).filter(({ status }) => status === 'pending');
      if (pending.length > 0) await runNextTry(webhookId);
      expect((await deliveriesOf(webhookId)).map(({ status }) => status)).not.toContain('pending');
      expect((await deliveriesOf(webhookId))[0]!.problem).toBe('The webhook was disabled.');
      const [sent, jobs] = [receivers.sent.length, await jobCount()];
      await store.get(PolledInterests).onModuleInit();
      await addPet();
      expect(await jobCount()).toBe(jobs);
      expect(receivers.sent).toHaveLength(sent);
    });

    it('is enabled again by a test that arrives, and by no other', async () => {
      const webhookId = await create();
      await die(webhookId);
      await store.get(TestWebhook).execute('zoo', webhookId);
      await runJobs();
      expect((await deliveriesOf(webhookId))[0]).toMatchObject({
        event: 'webhook.test',
        status: 'failed',
        tries: 1,
      });
      expect((await webhookOf(webhookId)).disabledAtMs).not.toBeNull();

      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      await store.get(TestWebhook).execute('zoo', webhookId);
      await runJobs();
      expect(await webhookOf(webhookId)).toMatchObject({
        failures: 0,
        failingSinceMs: null,
        disabledAtMs: null,
      });
      const petId = await addPet();
      await runJobs();
      expect(receivers.toldOf(webhookId).at(-1)).toBe(Number(petId));
    });

    it('gets a delivery that is retried', async () => {
      const webhookId = await create();
      await die(webhookId);
      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      const oldest = (await deliveriesOf(webhookId)).at(-1)!;
      await store.get(RetryDelivery).execute('zoo', webhookId, oldest.id);
      await runJobs();

      expect((await deliveriesOf(webhookId)).at(-1)).toMatchObject({
        status: 'delivered',
        eventId: oldest.eventId,
      });
      expect((await webhookOf(webhookId)).disabledAtMs).toBeNull();
    });
  });

  it('sends a test first, however many deliveries wait', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => SILENT;
    for (let count = 0; count < 30; count++) await addPet();
    await runJobs();
    receivers.sent.length = 0;
    clock.advance(1_000);
    await store.get(TestWebhook).execute('zoo', webhookId);
    await runJobs();

    expect(receivers.toldOf(webhookId)).toEqual([undefined]);
    expect((await deliveriesOf(webhookId))[0]).toMatchObject({ event: 'webhook.test', status: 'failed' });
  });

  it('sends a delivery again that is retried while it is sent, and stores what became of the second time', async () => {
    const webhookId = await create();
    await addPet();
    receivers.outcomeOf = async (_, { id }) => {
      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1);
      await store.get(RetryDelivery).execute('zoo', webhookId, id);
      return REFUSED;
    };
    await runJobs();

    expect(receivers.sent).toHaveLength(2);
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'delivered', tries: 1 }]);
    expect((await webhookOf(webhookId)).wakeAtMs).toBeNull();
  });

  it('sends nothing of a webhook that was deleted, and ends what was pending', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => REFUSED;
    for (let count = 0; count < 450; count++) await addPet();
    await runJobs();
    receivers.sent.length = 0;
    await store.get(DeleteWebhook).execute('zoo', webhookId);
    await addPet();
    clock.advance(DAY_MS);
    await runJobs();

    expect(receivers.sent).toEqual([]);
    const pending = await temporary.database.query(
      "SELECT 1 FROM webhook_deliveries WHERE status = 'pending'",
    );
    expect(pending).toEqual([]);
  });

  it('ends what was pending of a webhook that was deleted, also when the jobs that were to do so are cancelled', async () => {
    const webhookId = await create();
    receivers.outcomeOf = () => REFUSED;
    for (let count = 0; count < 3; count++) await addPet();
    await runJobs();
    await store.get(DeleteWebhook).execute('zoo', webhookId);
    await expect(webhookOf(webhookId)).rejects.toThrow(WebhookNotFound);
    for (const state of ['delayed', 'waiting'] as const) {
      const [job] = await store.get(JobAdmin).list({ kind: 'webhooks.deliver', state, limit: 9 });
      await store.get(JobAdmin).cancel(job!.id);
    }
    clock.advance(5 * MINUTE_MS);
    await runJobs();
    clock.advance(10 * MINUTE_MS);
    await runJobs();

    expect(receivers.sent.length).toBeGreaterThan(0);
    const left = await temporary.database.query<{ status: string; problem: string }>(
      'SELECT status, problem FROM webhook_deliveries',
    );
    expect(left).toEqual(Array(3).fill({ status: 'failed', problem: 'The webhook was deleted.' }));
    expect(await temporary.database.query('SELECT 1 FROM webhooks')).toEqual([]);
  });

  it('goes on where a server was stopped: what was not sent is sent by the next job', async () => {
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

    expect(receivers.toldOf(webhookId)).toHaveLength(5);
    expect(new Set(receivers.toldOf(webhookId)).size).toBe(5);
  });

  it('wakes a webhook whose job was lost, within a quarter of an hour', async () => {
    const webhookId = await create();
    await addPet();
    receivers.outcomeOf = () => REFUSED;
    await runJobs();
    await temporary.database.run((transaction) =>
      temporary.database.session(transaction).query("DELETE FROM jobs WHERE state = 'delayed'"),
    );
    receivers.outcomeOf = () => ARRIVED;
    clock.advance(10 * MINUTE_MS);
    await runJobs();
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'pending', tries: 1 }]);
    clock.advance(5 * MINUTE_MS);
    await runJobs();

    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'delivered', tries: 2 }]);
    expect((await webhookOf(webhookId)).wakeAtMs).toBeNull();
  });

  it('goes on after ten kills of the servers that sent', async () => {
    const webhookId = await create();
    await addPet();
    const worker = store.get(JobWorker);
    let begun = 0;
    receivers.outcomeOf = () => {
      begun++;
      return new Promise(() => undefined);
    };
    await worker['step']();
    await worker['runs'].allEnded();
    for (let kills = 1; kills <= 10; kills++) {
      await worker['step']();
      while (begun < kills) await new Promise(setImmediate);
      // A server that is killed says nothing of what it runs. Its leases end.
      worker['runs'].leave();
      clock.advance(31_000);
    }
    receivers.outcomeOf = () => ARRIVED;
    await runJobs();

    expect(begun).toBe(10);
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: 'delivered', tries: 1 }]);
    expect(await store.get(JobAdmin).list({ kind: 'webhooks.deliver', limit: 9 })).toMatchObject([
      { state: 'done', tries: 11 },
    ]);
  });

  it('gives slow receivers of an account ten places, so that others have theirs, and comes back for the rest', async () => {
    const slow: bigint[] = [];
    for (let count = 0; count < 20; count++) slow.push(await create(['animal.added'], 'slow'));
    receivers.outcomeOf = () => {
      receivers.outcomeOf = () => ARRIVED;
      clock.advance(1_000);
      return ARRIVED;
    };
    await addPet();
    await runJobs();
    const quick = await create();
    await store.get(PolledInterests).onModuleInit();
    const respond: (() => void)[] = [];
    receivers.outcomeOf = ({ id }) =>
      id === quick ? ARRIVED : new Promise((resolve) => respond.push(() => resolve(ARRIVED)));
    await addPet();
    const running = runJobs();
    const comesBack = { kind: 'webhooks.deliver', state: 'delayed', limit: 100 } as const;
    const isSettled = async () =>
      respond.length >= 10 &&
      receivers.toldOf(quick).length > 0 &&
      (await store.get(JobAdmin).list(comesBack)).length >= 10;
    while (!(await isSettled())) await new Promise((next) => setTimeout(next, 5));

    expect(respond).toHaveLength(10);
    receivers.outcomeOf = () => ARRIVED;
    for (const one of respond) one();
    await running;
    clock.advance(2_000);
    await runJobs();
    for (const id of slow) expect(receivers.toldOf(id)).toHaveLength(2);
    expect(await store.get(JobAdmin).list(comesBack)).toEqual([]);
    // One for each of the 20 at the first animal, and of the 21 at the second.
    expect(await store.get(JobAdmin).list({ kind: 'webhooks.deliver', limit: 100 })).toHaveLength(41);
  });

  describe('A receiver that responds with 410 Gone', () => {
    it('is disabled at once: nothing more is sent, and what is pending fails', async () => {
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
      const jobs = await jobCount();
      await store.get(PolledInterests).onModuleInit();
      await addPet();
      expect(await jobCount()).toBe(jobs);
    });
  });

  describe('An account without a key that works', () => {
    it('is told of nothing more: its webhook is disabled, until it has a key and tests it', async () => {
      const [zoo, circus] = [await create(), await create(['animal.added'], 'circus')];
      keyless.add('circus');
      await addPet();
      await runJobs();

      expect(receivers.sent.map(({ webhookId }) => webhookId)).toEqual([zoo]);
      expect(await webhookOf(circus, 'circus')).toMatchObject({
        disabledAtMs: clock.now(),
        disabledReason: 'no_key',
      });
      expect(await deliveriesOf(circus, 'circus')).toMatchObject([
        { status: 'failed', tries: 0, problem: 'The webhook was disabled.' },
      ]);
      keyless.delete('circus');
      await store.get(PolledInterests).onModuleInit();
      await addPet();
      await runJobs();
      expect(receivers.toldOf(circus)).toEqual([]);
      clock.advance(1);
      await store.get(TestWebhook).execute('circus', circus);
      await runJobs();
      expect(receivers.toldOf(circus)).toEqual([undefined]);
      expect(await webhookOf(circus, 'circus')).toMatchObject({ disabledAtMs: null, disabledReason: null });
    });

    it('gets no test that it has asked for before', async () => {
      const webhookId = await create();
      await store.get(TestWebhook).execute('zoo', webhookId);
      keyless.add('zoo');
      await runJobs();

      expect(receivers.sent).toEqual([]);
      expect((await deliveriesOf(webhookId))[0]).toMatchObject({ status: 'failed', tries: 0 });
    });
  });

  it('lets an account have 20 webhooks', async () => {
    for (let count = 0; count < 20; count++) await create();

    await expect(create()).rejects.toThrow(TooManyWebhooks);
    await create(['animal.added'], 'circus');
  });
});
