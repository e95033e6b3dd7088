import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { markdownTable } from 'markdown-table';
import { Client } from './bytes/client.js';
import { type Data, DataSets } from './data.js';
import { request } from './load.js';
import { median } from './measure.js';
import { databaseCpuMs, Server } from './servers.js';

/** Every animal is ordered once. */
const SIZE = { animals: 20_000, keys: 1, allAvailable: true };
/** `nobody` is the service as it is, `one` with a webhook, whose jobs are stored and never run. */
const VARIANTS = { without: 'outbox', nobody: '', one: 'worker' } as const;
type Variant = keyof typeof VARIANTS;
const WARM_UP_REQUESTS = 3_000;
const ROUNDS = 9;
const ROUND_REQUESTS = 500;
const CONNECTIONS = 64;
const EVENTS_A_SECOND = 100;
/** Of the events, the first ones are sent while V8 compiles. */
const WARM_UP_EVENTS = 500;
const LOST_AFTER_MS = 30_000;

const OPERATIONS = {
  'an addition': request('POST /v1/pets', '{"name":"Rex","categoryId":7}'),
  'an order': request('POST /v1/store/orders', '{"petId":@_number_@}'),
};

const FIGURES = ['bytes', 'CPU', 'PostgreSQL'] as const;
/** What the requests of each round need of the server, and in CPU time of PostgreSQL. */
type Costs = Record<(typeof FIGURES)[number], number[]>;

/**
 * Prints what events cost the requests that cause them, and how soon a webhook is notified: while nobody has
 * subscribed, as times of the service without an outbox; with a webhook, as times of that.
 */
export async function main({ seconds }: { readonly seconds: number }): Promise<void> {
  const dataSets = new DataSets();
  const data = await dataSets.of(SIZE);
  for (const database of ['SQLite', 'PostgreSQL']) {
    const isShared = database === 'PostgreSQL';
    const costs = await costsOf(dataSets, data, isShared);
    const rows = [...costs].flatMap(([operation, { without, nobody, one }]) => [
      [`${operation}, nobody subscribed`, ...times(nobody, without)],
      [`${operation}, with a webhook`, ...times(one, nobody)],
    ]);
    console.log(`\n${markdownTable([[`× on ${database}`, ...FIGURES], ...rows])}`);
    const { databaseUrl } = await dataSets.copy(data, 'delays', isShared);
    const delays = await delaysOf(data, databaseUrl, EVENTS_A_SECOND * seconds);
    console.log(`From the response to the delivery, at ${EVENTS_A_SECOND} additions a second: ${delays}`);
  }
  console.log(`Load average: ${loadavg()[0]!.toFixed(1)}`);
}

/** Bytes and CPU time: the median of the rounds. PostgreSQL's is counted in hundredths of a second: that of all. */
function times(one: Costs, base: Costs): string[] {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return FIGURES.map((figure) => {
    if (sum(base[figure]) === 0) return '–';
    if (figure === 'PostgreSQL') return (sum(one[figure]) / sum(base[figure])).toFixed(2);
    return median(one[figure].map((value, round) => value / base[figure][round]!))!.toFixed(2);
  });
}

/** The servers take turns, so what else the machine does is the same for all. */
async function costsOf(
  dataSets: DataSets,
  data: Data,
  isShared: boolean,
): Promise<Map<string, Record<Variant, Costs>>> {
  const servers: (readonly [Variant, Server, Client])[] = [];
  for (const [variant, without] of Object.entries(VARIANTS)) {
    const { databaseUrl } = await dataSets.copy(data, variant, isShared);
    const server = await start(data, databaseUrl, without);
    if (variant === 'one')
      await subscribe(server, data, 'https://shop.example', ['animal.added', 'order.placed']);
    const client = await Client.connect(server.port, CONNECTIONS, data);
    for (const text of Object.values(OPERATIONS)) await client.send(text, WARM_UP_REQUESTS);
    servers.push([variant as Variant, server, client]);
  }
  const none = (): Costs => ({ bytes: [], CPU: [], PostgreSQL: [] });
  const all = new Map<string, Record<Variant, Costs>>();
  for (const name of Object.keys(OPERATIONS)) all.set(name, { without: none(), nobody: none(), one: none() });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [operation, text] of Object.entries(OPERATIONS))
      for (const [variant, server, client] of servers) {
        const costs = all.get(operation)![variant];
        const databaseMs = databaseCpuMs('postgres');
        await server.startCounting();
        await client.send(text, ROUND_REQUESTS);
        const { bytes, cpuUs } = await server.stopCounting();
        costs.bytes.push(bytes);
        costs.CPU.push(cpuUs);
        costs.PostgreSQL.push(databaseCpuMs('postgres') - databaseMs);
      }
    servers.push(servers.shift()!);
  }
  for (const [, server, client] of servers) {
    client.close();
    await server.stop();
  }
  return all;
}

async function delaysOf(data: Data, databaseUrl: string, events: number): Promise<string> {
  const arrivedAtMs = new Map<number, number>();
  const receiver = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text) => (body += text));
    incoming.on('end', () => {
      const { id } = (JSON.parse(body) as { data: { id: number } }).data;
      if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, performance.now());
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const server = await start(data, databaseUrl, '');
  const { port } = receiver.address() as AddressInfo;
  await subscribe(server, data, `http://127.0.0.1:${port}`, ['animal.added']);

  const addedAtMs = new Map<number, number>();
  let refused = 0;
  const add = async (): Promise<void> => {
    const response = await post(server, data, 'pets', { name: 'Rex', categoryId: 7 });
    if (response.ok) addedAtMs.set(((await response.json()) as { id: number }).id, performance.now());
    else refused++;
  };
  const total = WARM_UP_EVENTS + events;
  const cpuMs = server.usage.cpuMs;
  const startedMs = performance.now();
  const adding: Promise<void>[] = [];
  for (let event = 0; event < total; event++) {
    const waitMs = startedMs + (event * 1_000) / EVENTS_A_SECOND - performance.now();
    if (waitMs > 1) await delay(waitMs);
    adding.push(add());
  }
  await Promise.all(adding);
  const endMs = performance.now() + LOST_AFTER_MS;
  while (arrivedAtMs.size < addedAtMs.size && performance.now() < endMs) await delay(50);
  const eventMs = (server.usage.cpuMs - cpuMs) / arrivedAtMs.size;
  await server.stop();
  receiver.close().closeAllConnections();
  const measured = [...addedAtMs]
    .slice(WARM_UP_EVENTS)
    .map(([id, atMs]) => (arrivedAtMs.get(id) ?? Infinity) - atMs);
  measured.sort((a, b) => a - b);
  const at = (share: number) => Math.max(0, measured[Math.ceil(measured.length * share) - 1]!).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, latest ${at(1)} ms; ${refused} refused; ${eventMs.toFixed(2)} ms of CPU for an addition and its delivery`;
}

/** In development, so that it sends to this machine. */
function start({ key }: Data, databaseUrl: string, without: string): Promise<Server> {
  const environment = { NODE_ENV: 'development', OUTGOING_ALLOW_PRIVATE: 'true', WITHOUT: without };
  return Server.start({ peer: 'without-jobs', databaseUrl, key, environment });
}

async function subscribe(server: Server, data: Data, url: string, events: readonly string[]): Promise<void> {
  const { status } = await post(server, data, 'webhooks', { url: `${url}/webhooks`, events });
  if (status !== 201) throw new Error(`The webhook was refused with ${status}.`);
}

function post({ port }: Server, { key }: Data, path: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
}
