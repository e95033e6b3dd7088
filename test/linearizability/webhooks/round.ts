import { setTimeout as delay } from 'node:timers/promises';
import { Cluster } from '../../cluster/cluster.js';
import { Customer, Noticeboard } from '../../cluster/customer.js';
import type { Operation, OrderStatus } from '../../cluster/history.js';
import { Random } from '../../support/random.js';
import { within } from '../../support/server-process.js';
import { counted, DATA_FAULTS, letHappen } from '../faults.js';
import { Recorder } from '../recorder.js';
import { lineTo, type RoundResult } from '../round.js';
import { doubledDeliveries, type Subscriber, webhookAnomalies, type WebhookHistory } from './check.js';
import { MANNERS, Receivers } from './receivers.js';

const REPLICAS = 3;
/** The last ones have no webhook. */
const CUSTOMERS = 8;
const ALL_EVENTS = [
  'animal.added',
  'animal.status_changed',
  'order.placed',
  'order.completed',
  'order.cancelled',
];
/** From then on all that happens is sent. */
const KNOWN_AFTER_MS = 5_000;
/** Among what is left may be jobs of killed replicas, and what is tried again after five minutes. */
const ALL_DONE_WITHIN_MS = 600_000;
/** How much longer for each event of a large round, whose customers are faster than its receivers. */
const MS_PER_EVENT = 15;
/** In a large round one receiver gets the additions of animals and one their changes, which are most events. */
const ORDER_EVENTS = ALL_EVENTS.filter((name) => name.startsWith('order.'));
/** One replica after the other is left alone for longer than a lease, and reclaims jobs of those that are killed. */
const SPARED_MS = 45_000;
const LEFT = `(SELECT 1 FROM events WHERE told_up_to IS NOT NULL
  UNION ALL SELECT 1 FROM webhook_deliveries WHERE status = 'pending'
  UNION ALL SELECT 1 FROM jobs WHERE ended_at IS NULL AND kind = 'webhooks.deliver') AS open`;
const ENABLED_WITHIN_MS = 60_000;

const SETTINGS = {
  // In production no request goes to the loopback interface.
  NODE_ENV: 'development',
  OUTGOING_ALLOW_PRIVATE: 'true',
  DATABASE_STATEMENT_TIMEOUT_MS: '1500',
  // A webhook with more pending events is disabled, and is not notified of the others.
  WEBHOOK_MAX_PENDING: '1000000',
};

/** Records what customers change. What they read is checked elsewhere. */
class ChangeRecorder extends Recorder {
  override record(operation: Operation): void {
    if (operation.kind !== 'animals' && operation.kind !== 'orders') super.record(operation);
  }
}

/**
 * Runs customers against several replicas while these and PostgreSQL fail, and receivers of webhooks that fail, too. In
 * the end all of them work, and everything must have arrived.
 * @param size how many events must be sent until the faults end; 0 for each fault once
 */
export async function roundOfWebhooks(seed: number, size: number): Promise<RoundResult> {
  const receivers = await Receivers.start(new Random(seed, 'receivers'));
  const recorder = new ChangeRecorder();
  const findings: string[] = [];
  let history: WebhookHistory | null = null;
  const cluster = await Cluster.start({
    size: REPLICAS,
    database: 'postgres',
    environment: SETTINGS,
    hasWays: true,
  });
  try {
    const accounts = Array.from({ length: CUSTOMERS }, (_, index) => `customer ${index + 1}`);
    const keys = await cluster.newKeys(CUSTOMERS, undefined, (index) => accounts[index]);
    const subscribers = await subscribe(cluster, receivers, keys, accounts, size > 0);
    await delay(KNOWN_AFTER_MS);
    const board = new Noticeboard();
    const customers = keys.map(
      (key, index) =>
        new Customer(
          accounts[index]!,
          lineTo(cluster, key),
          board,
          recorder,
          new Random(seed, accounts[index]!),
        ),
    );
    const failures: unknown[] = [];
    const stop = (): void => {
      for (const customer of customers) customer.stop();
      recorder.stop();
    };
    const fail = (error: unknown): void => {
      failures.push(error);
      stop();
    };
    const faults = async (): Promise<void> => {
      const random = new Random(seed, 'data faults');
      const isOver = () => failures.length > 0;
      const victim = () =>
        (Math.floor(performance.now() / SPARED_MS) + random.between(1, REPLICAS - 1)) % REPLICAS;
      do await letHappen(DATA_FAULTS, { cluster, recorder, random, isOver, victim });
      while (failures.length === 0 && receivers.eventIds.size < size);
    };
    await Promise.all([
      ...customers.map((customer) => customer.run().catch(fail)),
      faults().then(stop, fail),
    ]);
    if (failures.length > 0) throw failures[0];
    receivers.behaveWell();
    // A replica that PostgreSQL has refused a connection has fewer until it is restarted.
    await cluster.untilWhole({ evenIfShort: true });
    await within(
      ALL_DONE_WITHIN_MS + size * MS_PER_EVENT,
      async () => (await select(cluster, `1 FROM ${LEFT} LIMIT 1`)).length === 0,
    ).catch((error: Error) => findings.push(`Deliveries or jobs are open in the end: ${error.message}`));
    const { deliveries } = receivers;
    history = { subscribers, deliveries, operations: recorder.operations, ...(await readStored(cluster)) };
  } catch (error) {
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  findings.push(...(await cluster.stop()), ...recorder.problems);
  await receivers.stop();
  if (history === null) return { findings, facts: recorder.faults };
  const { deliveries, eventIds } = receivers;
  const arrived = deliveries.filter(({ hasArrived }) => hasArrived).length;
  const facts = [
    `${recorder.requestCount} requests, ${history.animals.length} animals, ${history.orders.length} orders`,
    `${eventIds.size} events, ${deliveries.length} requests to receivers, ${arrived} arrived, ${doubledDeliveries(history)} of them doubled`,
    ...(size === 0 ? recorder.faults : counted(recorder.faults)),
  ];
  return { findings: [...findings, ...webhookAnomalies(history)], facts };
}

/** The first customer has a webhook for everything and another for some events, the others have one each. */
async function subscribe(
  cluster: Cluster,
  receivers: Receivers,
  keys: readonly string[],
  accounts: readonly string[],
  isLarge: boolean,
): Promise<Subscriber[]> {
  const others = isLarge ? ORDER_EVENTS : ALL_EVENTS;
  const first = isLarge ? ['animal.status_changed', ...ORDER_EVENTS] : ALL_EVENTS;
  const wanted = MANNERS.map((manners, index) => ({ index, manners, events: index > 0 ? others : first }));
  wanted.push({ index: 0, manners: 'refusing', events: ['animal.added', 'order.cancelled'] });
  return Promise.all(
    wanted.map(async ({ index, manners, events }, place) => {
      const webhook = `webhook-${place + 1}`;
      const url = receivers.url(webhook);
      const sent = { method: 'POST', path: '/v1/webhooks', body: { url, events }, headers: {}, replica: 0 };
      const { status, body } = await lineTo(cluster, keys[index]!).send(sent);
      if (status !== 201) throw new Error(`The webhook was not created: ${status} ${JSON.stringify(body)}`);
      const { id, secret } = body as { id: number; secret: string };
      receivers.add(webhook, manners, secret);
      const wanted = `1 FROM webhooks WHERE id = ${id} AND status = 'enabled'`;
      await within(ENABLED_WITHIN_MS, async () => (await select(cluster, wanted)).length === 1);
      return { webhook, account: accounts[index]!, events };
    }),
  );
}

async function readStored(cluster: Cluster): Promise<Pick<WebhookHistory, 'animals' | 'orders'>> {
  const animals = await select<{ id: string; name: string }>(cluster, 'id, name FROM pets');
  const orders = await select<{ id: string; petId: string; status: OrderStatus; account: string }>(
    cluster,
    'id, pet_id AS "petId", status, account FROM orders',
  );
  return {
    animals: animals.map(({ id, name }) => ({ id: Number(id), name })),
    orders: orders.map(({ id, petId, ...order }) => ({ id: Number(id), petId: Number(petId), ...order })),
  };
}

function select<R extends object>(cluster: Cluster, what: string): Promise<R[]> {
  return cluster.withDatabase(async (client) => (await client.query<R>(`SELECT ${what}`)).rows);
}
