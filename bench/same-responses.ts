import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Data, DataSets } from './data.js';
import { type Operation, type PeerName, peerOf } from './peers.js';
import { Server } from './servers.js';

/** A request: method and path, a JSON body, headers, how often it is sent, and whether only strict peers can. */
interface Probe {
  readonly operation: Operation;
  readonly line: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly times?: number;
  readonly isStrict?: true;
}

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is neither of the moment nor, of a refusal, free in its wording. */
const SAME =
  /^(content-(type|length)|cache-control|vary|link|location|deprecation|sunset|idempot.*|www-.*|.*-(policy|limit))$/;
/** What the tutorials have in common with the service. */
const LENIENT = /^(content-(type|length)|link|location|deprecation|sunset)$/;
const MAX_LOG_DELAY_MS = 2_000;

/** Peers that cannot start or do not respond, log and count as the service does, with the reason. */
export async function peersThatDiffer(
  dataSets: DataSets,
  peers: Iterable<PeerName>,
  isShared: boolean,
): Promise<Map<PeerName, string>> {
  const leftOut = new Map<PeerName, string>();
  const data = await dataSets.of({ animals: 1_000, keys: 100 });
  const wanted: Seen[] = [];
  for (const [index, peer] of [...new Set<PeerName>(['service', ...peers])].entries()) {
    console.error(`Asking ${peerOf(peer).title} …`);
    const logFile = `${data.file}.log-${peer}`;
    const urls = await dataSets.copy(data, `compared-${peer}`, isShared);
    try {
      const server = await Server.start({ peer, ...urls, key: data.key, logFile });
      // A Free key of its own, as the counts of others may be in Redis.
      const list = probes(data, data.freeKeys.at(-1 - index)!);
      const found = await differences(peer, server, list, wanted, data.key, logFile).finally(() =>
        server.stop(),
      );
      if (found.length > 0)
        throw new Error(`it does not do what the service does: ${found.slice(0, 3).join('; ')}`);
    } catch (error) {
      if (peer === 'service') throw error;
      leftOut.set(peer, (error as Error).message);
      console.error(`Left out: ${peer}: ${(error as Error).message}.`);
    }
  }
  return leftOut;
}

function probes({ cursor }: Data, freeKey: string): Probe[] {
  const list = (query: string, more: Partial<Probe> = {}): Probe => ({
    ...{ operation: 'list', line: `GET /v1/pets${query}`, ...more },
  });
  const add = (body: string, more: Partial<Probe> = {}): Probe => ({
    ...{ operation: 'add', line: 'POST /v1/pets', body, ...more },
  });
  const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
  const once = (key: string, categoryId: number) =>
    add(`{"name":"Rex","categoryId":${categoryId}}`, {
      operation: 'once',
      headers: { 'Idempotency-Key': key },
    });
  return [
    ...['', '?limit=5&status=sold', `?limit=20&cursor=${cursor}`].map((query) => list(query)),
    ...['?limit=100', '?limit=0', '?status=lost', '?cursor=AAAA'].map((query) => list(query)),
    list('?stauts=sold', { isStrict: true }),
    ...['', `ask_live_${'0'.repeat(38)}`].map((key) => list('', withKey(key))),
    ...[7, 999_999_999].map((id): Probe => ({ operation: 'get', line: `GET /v1/pets/${id}` })),
    add('{"name":"Rex","categoryId":7}'),
    add('{"name":"Žofie 🐕","categoryId":1,"status":"sold"}'),
    add('{"name":"Big","categoryId":9223372036854775807}', { isStrict: true }),
    ...['{"name":"Half","categoryId":1.5}', '{"categoryId":1}', '{"name":'].map((body) => add(body)),
    ...['"categoryId":"7"', '"categoryId":7,"colour":"red"'].map((rest) => add(`{"name":"Rex",${rest}}`)),
    ...[once('"first"', 7), once('first', 7), once('"first"', 8), once('two words', 7)],
    ...[3, 3, 999_999_999].map((id): Probe => ({
      operation: 'order',
      line: 'POST /v1/store/orders',
      body: `{"petId":${id}}`,
    })),
    ...[61, 21].map((times) => list('', { operation: 'limits', ...withKey(freeKey), times })),
  ];
}

/** What differs from `wanted`, or goes into it when it is empty; and whether everything was logged and counted. */
async function differences(
  peer: PeerName,
  server: Server,
  list: readonly Probe[],
  wanted: Seen[],
  key: string,
  logFile: string,
): Promise<string[]> {
  const { operations, isLenient = false } = peerOf(peer);
  const found: string[] = [];
  let requests = 0;
  for (const [index, probe] of list.entries()) {
    if (!operations.includes(probe.operation) || (probe.isStrict && isLenient)) continue;
    const { line, body = '', times = 1 } = probe;
    let seen: Seen | undefined;
    for (let i = 0; i < times; i++) seen = await send(server.port, probe, key);
    // The tutorials log what a handler returns, and nothing that was refused before it.
    if (!isLenient || seen!.status < 400) requests += times;
    const [given, right] = [comparable(seen!, isLenient), comparable((wanted[index] ??= seen!), isLenient)];
    const [wrong, missing] = [
      given.filter((one) => !right.includes(one)),
      right.filter((one) => !given.includes(one)),
    ];
    if (wrong.length + missing.length > 0)
      found.push(`${line} ${body}: ${wrong.join(', ')} instead of ${missing.join(', ')}`);
  }
  if (!isLenient && (await countedRequests(server.metricsPort)) < requests)
    found.push('requests are not in its metrics');
  if (!(await hasLogged(logFile, requests))) found.push('requests are not in its log');
  return found;
}

/** What must be the same: not times, and of a refusal but 429 the code and the status. */
function comparable({ status, headers, body }: Seen, isLenient: boolean): string[] {
  const isRefusal = status >= 400;
  if (isRefusal && isLenient) return [String(status)];
  const names = Object.keys(headers).filter((name) => !isLenient || LENIENT.test(name));
  const lines = names.map((name) => {
    const isSame = SAME.test(name) && !(isRefusal && name === 'content-length');
    return isSame ? `${name}: ${headers[name]}` : name;
  });
  const { code } = isRefusal ? (JSON.parse(body) as { code: string }) : { code: '' };
  const text = body.replace(/"\d{4}-\d\d-\d\dT[^"]+Z"/g, '"(time)"').replace(/\d+ seconds?/g, '(wait)');
  return [String(status), ...lines, isRefusal && status !== 429 ? code : text];
}

async function send(port: number, { line, body, headers: own }: Probe, key: string): Promise<Seen> {
  const [method, path] = line.split(' ') as [string, string];
  const headers = new Headers({ Authorization: `Bearer ${key}`, ...own });
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body ?? null });
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

async function countedRequests(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const samples = [...text.matchAll(/^animal_store_http_requests_total\{.*\} (\d+)$/gm)];
  return samples.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Lines may be a little late. */
async function hasLogged(logFile: string, count: number): Promise<boolean> {
  const facts = ['requestId', 'method', 'route', 'status', 'durationMs'];
  for (let waitedMs = 0; waitedMs <= MAX_LOG_DELAY_MS; waitedMs += 50) {
    const lines = readFileSync(logFile, 'utf8').split('\n');
    if (lines.filter((line) => facts.every((name) => line.includes(`"${name}":`))).length >= count)
      return true;
    await delay(50);
  }
  return false;
}
