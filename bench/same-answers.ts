import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { generateApiKey } from '#libs/api-keys';
import { type DataSet, firstLines } from './data-sets.js';
import type { Feature, Program } from './programs.js';
import type { ServerProcess } from './server-process.js';

interface Probe {
  readonly feature: Feature;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly key?: 'enterprise' | 'free' | 'unknown' | 'none';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ask with the ETag of the answer before. */
  readonly withTag?: true;
  /** How often to send it; the last answer counts. */
  readonly times?: number;
  /** Whether only strict programs are asked. */
  readonly strictOnly?: true;
}

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers whose values say the same on every server and at every moment. */
const SAME_VALUES = [
  'content-type',
  'content-length',
  'cache-control',
  'vary',
  'link',
  'location',
  'deprecation',
  'sunset',
  'www-authenticate',
  'ratelimit-policy',
  'x-ratelimit-limit',
];
const LONGEST_LOG_DELAY_MS = 2_000;

function probes(dataSet: DataSet): Probe[] {
  const [cursor] = firstLines(dataSet.cursorsFile, 1) as [string];
  const list = (title: string, query: string, facts: Partial<Probe> = {}): Probe => {
    return { feature: 'list', title, method: 'GET', path: `/v1/pets${query}`, ...facts };
  };
  const pet = (title: string, id: string, facts: Partial<Probe> = {}): Probe => {
    return { feature: 'get', title, method: 'GET', path: `/v1/pets/${id}`, ...facts };
  };
  const add = (title: string, body: string, facts: Partial<Probe> = {}): Probe => {
    return { feature: 'add', title, method: 'POST', path: '/v1/pets', body, ...facts };
  };
  const order = (title: string, body: string): Probe => {
    return { feature: 'orders', title, method: 'POST', path: '/v1/store/orders', body };
  };
  const once = { feature: 'idempotency' as const, headers: { 'Idempotency-Key': 'bench-1' } };
  const rex = '{"name":"Rex","categoryId":7}';
  return [
    list('the first page', ''),
    list('the first page, known', '', { withTag: true }),
    list('the first page of one status', '?limit=5&status=sold'),
    list('a page further on', `?limit=20&cursor=${cursor}`),
    list('a page of 100', '?limit=100'),
    list('a limit of 0', '?limit=0'),
    list('a status that is none', '?status=lost'),
    list('a cursor that is none', '?cursor=AAAA'),
    list('a parameter that is none', '?stauts=sold', { strictOnly: true }),
    list('a list without a key', '', { key: 'none' }),
    list('a list with an unknown key', '', { key: 'unknown' }),
    pet('an animal', '7'),
    pet('an animal, known', '7', { withTag: true }),
    pet('an animal that is not there', '999999999'),
    add('an animal to add', rex),
    add('an animal with a status', '{"name":"Žofie 🐕","categoryId":1,"status":"sold"}'),
    add('an int64', '{"name":"Big","categoryId":9223372036854775807}', { strictOnly: true }),
    add('a fraction', '{"name":"Half","categoryId":1.5}'),
    add('no name', '{"categoryId":1}'),
    add('a number in quotes', '{"name":"Rex","categoryId":"7"}'),
    add('an unknown field', '{"name":"Rex","categoryId":7,"colour":"red"}'),
    add('no JSON', '{"name":'),
    add('an animal, once', rex, once),
    add('the same animal again', rex, once),
    add('another animal with the same key', '{"name":"Max","categoryId":7}', once),
    order('an order', '{"petId":3}'),
    order('an order for the same animal', '{"petId":3}'),
    order('an order for no animal', '{"petId":999999999}'),
    { ...list('the minute used up', ''), feature: 'limits', key: 'free', times: 61 },
    { ...list('a ban', ''), feature: 'limits', key: 'free', times: 21 },
  ];
}

/** What the service answers to each probe, in their order. */
export async function referenceAnswers(service: ServerProcess, dataSet: DataSet): Promise<Seen[]> {
  const answers: Seen[] = [];
  for (const probe of probes(dataSet)) answers.push(await answerOf(service, probe, dataSet, answers.at(-1)));
  return answers;
}

/** Asks `peer` what the service was asked and returns what differs; nothing when the peer may be measured. */
export async function differences(
  program: Program,
  peer: ServerProcess,
  reference: readonly Seen[],
  dataSet: DataSet,
  logFile: string,
): Promise<string[]> {
  const found: string[] = [];
  let asked = 0;
  let before: Seen | undefined;
  for (const [index, probe] of probes(dataSet).entries()) {
    if (!program.features.includes(probe.feature) || (probe.strictOnly && !program.strict)) continue;
    const wanted = reference[index]!;
    const given = await answerOf(peer, probe, dataSet, before);
    before = given;
    // The tutorials' way of logging sees what a handler answers, and nothing that was refused before.
    if (program.strict || wanted.status < 400) asked += probe.times ?? 1;
    found.push(...compare(program, wanted, given).map((difference) => `${probe.title}: ${difference}`));
  }
  if (program.strict) {
    const counted = await countedRequests(peer.metricsPort);
    if (counted < asked) found.push(`its metrics count ${counted} requests of ${asked}`);
  }
  if (!(await hasLogged(logFile, asked)))
    found.push(`it has not logged a line for each of ${asked} requests`);
  return found;
}

function compare({ strict }: Program, wanted: Seen, given: Seen): string[] {
  if (wanted.status !== given.status) return [`status ${given.status}, not ${wanted.status}`];
  const isRefusal = wanted.status >= 400;
  if (isRefusal && !strict) return [];
  const found: string[] = [];
  const wantedBody = comparable(wanted);
  const givenBody = comparable(given);
  if (wantedBody !== givenBody)
    found.push(`body ${givenBody.slice(0, 200)}, not ${wantedBody.slice(0, 200)}`);
  const wantedNames = Object.keys(wanted.headers);
  const givenNames = Object.keys(given.headers);
  const missing = wantedNames.filter((name) => !givenNames.includes(name));
  if (missing.length > 0) found.push(`without ${missing.join(', ')}`);
  const added = strict ? givenNames.filter((name) => !wantedNames.includes(name)) : [];
  if (added.length > 0) found.push(`with ${added.join(', ')}`);
  for (const name of SAME_VALUES) {
    // How long the text of a refusal is, is the program's own affair.
    if (isRefusal && name === 'content-length') continue;
    const [wantedValue, givenValue] = [wanted.headers[name], given.headers[name]];
    if (wantedValue !== undefined && givenValue !== undefined && String(wantedValue) !== String(givenValue)) {
      found.push(`${name} ${String(givenValue)}, not ${String(wantedValue)}`);
    }
  }
  return found;
}

/** The body without what differs from one moment to the next; of a refusal but 429 its code and status. */
function comparable({ status, body }: Seen): string {
  if (status >= 400 && status !== 429) {
    const { code, status: said } = JSON.parse(body) as { code: unknown; status: unknown };
    return JSON.stringify({ code, status: said });
  }
  return body.replace(/"\d{4}-\d\d-\d\dT[^"]+Z"/g, '"(time)"').replace(/\d+ seconds?/g, '(wait)');
}

async function answerOf(
  server: ServerProcess,
  probe: Probe,
  dataSet: DataSet,
  before: Seen | undefined,
): Promise<Seen> {
  const key = {
    enterprise: dataSet.key,
    free: dataSet.freeKey,
    unknown: generateApiKey('ask_live_'),
    none: null,
  }[probe.key ?? 'enterprise'];
  const headers: Record<string, string> = { ...probe.headers };
  if (key !== null) headers.Authorization = `Bearer ${key}`;
  if (probe.body !== undefined) headers['Content-Type'] = 'application/json';
  if (probe.withTag) headers['If-None-Match'] = before?.headers.etag ?? '';
  let seen = await send(server.port, probe, headers);
  for (let i = 1; i < (probe.times ?? 1); i++) seen = await send(server.port, probe, headers);
  return seen;
}

function send(port: number, { method, path, body }: Probe, headers: Record<string, string>): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function countedRequests(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const samples = text.matchAll(/^animal_store_http_requests_total\{.*\} (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Logs are gathered before they are written, so they may be a little late. */
async function hasLogged(logFile: string, count: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= LONGEST_LOG_DELAY_MS; waitedMs += 50) {
    const lines = readFileSync(logFile, 'utf8').split('\n').filter(isRequestLine);
    if (lines.length >= count) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

function isRequestLine(line: string): boolean {
  if (!line.startsWith('{')) return false;
  const { message, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const facts = typeof message === 'object' ? message! : fields;
  return ['requestId', 'method', 'route', 'status', 'durationMs'].every((name) => name in facts);
}
