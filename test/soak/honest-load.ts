import { setTimeout as delay } from 'node:timers/promises';
import {
  type LineResponse,
  Customer,
  type Line,
  Noticeboard,
  type Sent,
  type Witness,
} from '../cluster/customer.js';
import type { Animal, Operation } from '../cluster/history.js';
import { ConnectionLost, KeyLine } from '../cluster/line.js';
import { KEY_PER_DAY } from '../support/insert-key.js';
import { SMUGGLED } from './hostile/closing.actor.js';
import { GUESSING_ADDRESS } from './hostile/guessing.actor.js';
import { Random } from '../support/random.js';
import type { Service } from './service.js';

const CUSTOMERS = 8;
/** The time between two requests of a customer. It leaves time for the hostile clients on one core. */
const REQUEST_EVERY_MS = { least: 5, most: 50 };
/** The longest time for an honest request during the hostile load, with a margin for an overloaded machine. */
const IN_TIME_MS = 15_000;
const GIVE_UP_AFTER_MS = 30_000;
const AGAIN_AFTER_MS = 50;
const MAX_PROBLEMS = 10;
/** Requests that customers of the store send beside their business, with their statuses. */
const OTHERS: readonly (readonly [method: string, path: string, status: number, body?: object])[] = [
  ['GET', '/v1/pets/9223372036854775807', 404],
  ['POST', '/v1/pets', 400, { name: '' }],
  ['GET', '/openapi.json', 200],
  ['GET', '/health/ready', 200],
];

const NEWCOMERS = 4;
const NEWCOMER_EVERY_MS = 3_000;
/** The longest time until a new key is accepted from the address that guesses keys. */
const NEWCOMER_IN_TIME_MS = 15_000;
const NEWCOMER_ASKS_EVERY_MS = 250;

/** Customers who use the API as intended and check every response. */
export class HonestLoad implements Witness {
  readonly problems: string[] = [];
  readonly durationsMs: number[] = [];
  private readonly animals = new Map<number, string>();
  private readonly board = new Noticeboard();
  private problemCount = 0;
  private isOver = false;
  private welcomed = 0;
  private lines: HonestLine[] = [];
  private newcomers: string[] = [];

  constructor(
    private readonly service: Service,
    private readonly seed: number,
  ) {}

  /** Creates the keys of the customers. */
  async prepare(): Promise<void> {
    const keys = await this.service.newKeys(CUSTOMERS + NEWCOMERS);
    this.newcomers = keys.splice(CUSTOMERS);
    this.lines = keys.map((key, index) => new HonestLine(this.service, key, this, index % 2 === 0));
  }

  get problemsLeftOut(): number {
    return this.problemCount - this.problems.length;
  }

  /** The requests with a response that count against the limits of an honest key. */
  get counted(): number {
    return this.lines.reduce((sum, { counted }) => sum + counted, this.welcomed);
  }

  /** Resolves after `stop`, when the last response has arrived. */
  async run(): Promise<void> {
    this.isOver = false;
    await Promise.all(this.lines.map((line, index) => this.serve(line, index)));
  }

  stop(): void {
    this.isOver = true;
  }

  record(operation: Operation): void {
    if (operation.kind === 'addition' && operation.id !== null) {
      if (this.animals.has(operation.id)) this.problem(`Two animals have the id ${operation.id}`);
      this.animals.set(operation.id, operation.name);
    }
    if (operation.kind !== 'animals') return;
    for (const { id, name } of operation.animals)
      if ((this.animals.get(id) ?? name) !== name) this.problem(`Animal ${id} is another one: ${name}`);
  }

  ended(): void {}

  problem(text: string): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }

  /** Lets new customers in, one after another, from the address that guesses keys. Resolves after `stop`. */
  async welcome(): Promise<void> {
    for (let key = this.newcomers.pop(); key && !this.isOver; key = this.newcomers.pop()) {
      try {
        await this.firstSuccess(key);
        this.welcomed++;
      } catch (error) {
        await this.failed(`A new key: ${(error as Error).message}`);
      }
      await delay(NEWCOMER_EVERY_MS);
    }
  }

  /** Describes acknowledged animals that are missing, animals that exist twice, and those that no request has added. */
  async missing(): Promise<string[]> {
    const [line] = this.lines;
    const found = new Map<number, string>();
    let path: string | undefined = '/v1/pets?limit=100';
    while (path !== undefined) {
      const { headers, body } = await line!.request('GET', path);
      for (const { id, name } of body as Animal[]) found.set(id, name);
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    const lost = [...this.animals].filter(([id, name]) => found.get(id) !== name);
    const names = [...found.values()].filter((name) => name.startsWith('Animal '));
    const twice = names.length - new Set(names).size;
    const smuggled = [...found.values()].filter((name) => name === SMUGGLED).length;
    return [
      ...(smuggled > 0 ? [`${smuggled} animals were added by bytes that are no request`] : []),
      ...(lost.length > 0 ? [`${lost.length} of ${this.animals.size} acknowledged animals are missing`] : []),
      ...(twice > 0 ? [`${twice} animals are there twice`] : []),
    ];
  }

  /** Describes keys whose requests were not each counted once. */
  async miscounted(): Promise<string[]> {
    const found: string[] = [];
    for (const line of this.lines) {
      const { headers } = await line.request('GET', '/v1/pets?limit=1');
      const left = Number(/"day";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
      const counted = KEY_PER_DAY - left;
      if (counted !== line.counted) found.push(`${line.counted} requests count as ${counted} of a day`);
    }
    return found;
  }

  close(): void {
    for (const line of this.lines) line.close();
  }

  private async serve(line: HonestLine, index: number): Promise<void> {
    const name = `customer ${index}`;
    const random = new Random(this.seed, name);
    const customer = new Customer(name, line, this.board, this, random);
    while (!this.isOver && !this.service.hasEnded) {
      try {
        const [method, path, status, body] = random.pick(OTHERS);
        if (random.chance(0.9)) await customer.act();
        else await line.request(method, path, status, body);
      } catch (error) {
        await this.failed((error as Error).message);
      }
      await delay(random.between(REQUEST_EVERY_MS.least, REQUEST_EVERY_MS.most));
    }
  }

  /** @throws Error when the key is not let in within its time. */
  private async firstSuccess(key: string): Promise<void> {
    const line = new HonestLine(this.service, key, this, true, GUESSING_ADDRESS);
    const deadlineMs = performance.now() + NEWCOMER_IN_TIME_MS;
    try {
      for (;;) {
        const { status } = await line.request('GET', '/v1/pets?limit=1', null);
        if (status === 200) return;
        if (performance.now() > deadlineMs)
          throw new Error(`still ${status} after ${NEWCOMER_IN_TIME_MS} ms`);
        await delay(NEWCOMER_ASKS_EVERY_MS);
      }
    } finally {
      line.close();
    }
  }

  private async failed(text: string): Promise<void> {
    // The end of the process is reported once, not by every request that fails because of it.
    if (!(await this.service.isGone())) this.problem(text);
  }
}

/** One key and the connections of its owner. */
class HonestLine implements Line {
  readonly size = 1;
  /** Requests that count against the limits of the key. */
  counted = 0;
  private readonly line: KeyLine;

  constructor(
    private readonly service: Service,
    key: string,
    private readonly load: HonestLoad,
    staysConnected: boolean,
    address?: string,
  ) {
    this.line = new KeyLine(key, address, staysConnected);
  }

  /** @throws Error unless the response is in time and has `status`, if that is not null */
  async request(
    method: string,
    path: string,
    status: number | null = 200,
    body?: object,
  ): Promise<LineResponse> {
    const response = await this.send({ method, path, body, headers: {} });
    if (status !== null && response.status !== status)
      throw new Error(`${method} ${path}: status ${response.status} instead of ${status}`);
    return response;
  }

  /** @throws Error when there is no response, or not in time */
  async send({ method, path, body, headers }: Omit<Sent, 'replica'>): Promise<LineResponse> {
    const { ledger } = this.service;
    const requestId = ledger.nextRequestId();
    const startedMs = performance.now();
    try {
      const sent = { method, path, body, headers: { ...headers, 'X-Request-Id': requestId } };
      const response = await this.untilResponse(sent, startedMs + GIVE_UP_AFTER_MS);
      const durationMs = performance.now() - startedMs;
      ledger.respondedWith(requestId, response.status);
      if (response.headers.get('x-request-id') !== requestId)
        throw new Error('the response to another request');
      this.load.durationsMs.push(durationMs);
      if (path.startsWith('/v1/')) this.counted++;
      if (durationMs > IN_TIME_MS)
        throw new Error(`status ${response.status} after ${Math.round(durationMs)} ms`);
      return response;
    } catch (error) {
      throw new Error(
        `${method} ${path.replace(/cursor=.*/, 'cursor=…')} (${requestId}): ${(error as Error).message}`,
      );
    }
  }

  close(): void {
    this.line.close();
  }

  /** Sends a request again when its connection was refused, as clients do: the service has read nothing from it. */
  private async untilResponse(sent: Omit<Sent, 'replica'>, deadlineMs: number): Promise<LineResponse> {
    for (;;) {
      const drops = this.service.drops();
      try {
        return await this.line.send(this.service.port, sent);
      } catch (error) {
        const isFair = error instanceof ConnectionLost && error.wasRefused && (await drops.excuse(1));
        if (!isFair || performance.now() > deadlineMs) throw error;
        await delay(AGAIN_AFTER_MS);
      }
    }
  }
}
