import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Data, firstLine } from './data.js';
import { type Operation, PEERS } from './peers.js';
import type { Server, ServerParts } from './servers.js';

/** A request: method and path, a JSON body, a key other than a good one, how often, and whether only strict peers can. */
interface Probe {
  readonly operation: Operation;
  readonly line: string;
  readonly body?: string;
  readonly key?: string;
  readonly times?: number;
  readonly strict?: true;
}

interface Seen {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What is neither of the moment nor, of a refusal, free in its wording. */
const SAME =
  /^(content-(type|length)|cache-control|vary|link|location|deprecation|sunset|www-|.*-(policy|limit)$)/;
const LONGEST_LOG_DELAY_MS = 2_000;

function probes(data: Data): Probe[] {
  const list = (query: string, facts: Partial<Probe> = {}): Probe => ({
    ...{ operation: 'list', line: `GET /v1/pets${query}`, ...facts },
  });
  const get = (id: number): Probe => ({ operation: 'get', line: `GET /v1/pets/${id}` });
  const add = (body: string): Probe => ({ operation: 'add', line: 'POST /v1/pets', body });
  const order = (body: string): Probe => ({ operation: 'order', line: 'POST /v1/store/orders', body });
  return [
    ...['', '?limit=5&status=sold', `?limit=20&cursor=${firstLine(data, 'cursors')}`].map((query) =>
      list(query),
    ),
    ...['?limit=100', '?limit=0', '?status=lost', '?cursor=AAAA'].map((query) => list(query)),
    list('?stauts=sold', { strict: true }),
    list('', { key: '' }),
    list('', { key: `ask_live_${'0'.repeat(38)}` }),
    get(7),
    get(999_999_999),
    add('{"name":"Rex","categoryId":7}'),
    add('{"name":"Žofie 🐕","categoryId":1,"status":"sold"}'),
    { ...add('{"name":"Big","categoryId":9223372036854775807}'), strict: true },
    add('{"name":"Half","categoryId":1.5}'),
    add('{"categoryId":1}'),
    add('{"name":"Rex","categoryId":"7"}'),
    add('{"name":"Rex","categoryId":7,"colour":"red"}'),
    add('{"name":'),
    order('{"petId":3}'),
    order('{"petId":3}'),
    order('{"petId":999999999}'),
    list('', { operation: 'limits', key: data.freeKey, times: 61 }),
    list('', { operation: 'limits', key: data.freeKey, times: 21 }),
  ];
}

/** What a server responds to each probe, and to the same one with the ETag of that; null where it is not asked. */
export async function responses(server: Server, { peer }: ServerParts, data: Data): Promise<(Seen | null)[]> {
  const { operations, strict } = PEERS[peer];
  const seen: (Seen | null)[] = [];
  for (const probe of probes(data)) {
    const isAsked = operations.includes(probe.operation) && (strict || !probe.strict);
    let response: Seen | null = null;
    for (let i = 0; isAsked && i < (probe.times ?? 1); i++)
      response = await send(server.port, probe, data.key);
    const etag = response?.status === 200 ? response.headers['etag'] : undefined;
    seen.push(response, etag === undefined ? null : await send(server.port, probe, data.key, etag));
  }
  return seen;
}

/** What differs from what the service responded, logged and counted; nothing when the peer may be measured. */
export async function differences(
  server: Server,
  parts: ServerParts,
  data: Data,
  service: readonly (Seen | null)[],
): Promise<string[]> {
  const { strict } = PEERS[parts.peer];
  const given = await responses(server, parts, data);
  const found: string[] = [];
  let requests = 0;
  for (const [index, { line, body, times = 1 }] of probes(data).entries()) {
    for (const at of [2 * index, 2 * index + 1]) {
      const [wanted, own] = [service[at] ?? null, given[at] ?? null];
      if (own === null) continue;
      // The tutorials log what a handler returns, and nothing that was refused before it.
      if (strict || own.status < 400) requests += times;
      found.push(...compare(strict, wanted, own).map((text) => `${line} ${body ?? ''}: ${text}`));
    }
  }
  if (strict && (await countedRequests(server.metricsPort)) < requests)
    found.push('requests are not in its metrics');
  if (!(await hasLogged(parts.logFile!, requests))) found.push('requests are not in its log');
  return found;
}

function compare(strict: boolean, wanted: Seen | null, given: Seen): string[] {
  if (wanted?.status !== given.status) return [`status ${given.status}, not ${wanted?.status}`];
  const isRefusal = wanted.status >= 400;
  if (isRefusal && !strict) return [];
  const found: string[] = [];
  const [wantedBody, givenBody] = [comparable(wanted), comparable(given)];
  if (wantedBody !== givenBody)
    found.push(`body ${givenBody.slice(0, 200)}, not ${wantedBody.slice(0, 200)}`);
  for (const name of new Set([...Object.keys(wanted.headers), ...Object.keys(given.headers)])) {
    const [wantedValue, givenValue] = [wanted.headers[name], given.headers[name]];
    // The tutorials have other headers than the service.
    const isFree = !SAME.test(name) || (isRefusal && name === 'content-length');
    if (
      wantedValue === undefined || givenValue === undefined ? strict : !isFree && wantedValue !== givenValue
    )
      found.push(`${name} ${givenValue}, not ${wantedValue}`);
  }
  return found;
}

/** The body without what differs from one moment to the next; of a refusal but 429 its code and status. */
function comparable({ status, body }: Seen): string {
  if (status < 400 || status === 429)
    return body.replace(/"\d{4}-\d\d-\d\dT[^"]+Z"/g, '"(time)"').replace(/\d+ seconds?/g, '(wait)');
  const { code, status: said } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify({ code, status: said });
}

async function send(port: number, { line, body, key }: Probe, goodKey: string, etag?: string): Promise<Seen> {
  const [method, path] = line.split(' ') as [string, string];
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
  if (key !== '') headers.set('Authorization', `Bearer ${key ?? goodKey}`);
  if (etag !== undefined) headers.set('If-None-Match', etag);
  // Otherwise fetch sends no-cache beside a tag, and Express ignores the tag.
  headers.set('Cache-Control', 'max-age=0');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body ?? null });
  return {
    ...{
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    },
  };
}

async function countedRequests(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const samples = [...text.matchAll(/^animal_store_http_requests_total\{.*\} (\d+)$/gm)];
  return samples.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Lines may be a little late. */
async function hasLogged(logFile: string, count: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= LONGEST_LOG_DELAY_MS; waitedMs += 50) {
    const lines = readFileSync(logFile, 'utf8').split('\n');
    const facts = ['requestId', 'method', 'route', 'status', 'durationMs'];
    if (lines.filter((line) => facts.every((name) => line.includes(`"${name}":`))).length >= count)
      return true;
    await delay(50);
  }
  return false;
}
