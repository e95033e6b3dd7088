import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { GUESSING_ADDRESS } from './hostile/guessing.actor.js';
import { Random } from '../support/random.js';
import { KEY_PER_DAY, type NewKey, type Service } from './service.js';

const CUSTOMERS = 8;
/** The time between two requests of a customer. It leaves time for the hostile clients on one core. */
const REQUEST_EVERY_MS = { least: 5, most: 50 };
/** The longest time for an honest request during the hostile load, with a margin for an overloaded machine. */
const IN_TIME_MS = 15_000;
const GIVE_UP_AFTER_MS = 30_000;
/** The errors of a connection that was closed before a response. */
const CLOSED = ['ECONNRESET', 'EPIPE'];
const AGAIN_AFTER_MS = 50;
const MOST_PROBLEMS = 10;
/** The number of recent animals that customers request again. */
const LATEST = 100;

const NEWCOMERS = 4;
const NEWCOMER_EVERY_MS = 3_000;
/** The longest time until a new key is accepted from the address that guesses keys. */
const NEWCOMER_IN_TIME_MS = 15_000;
const NEWCOMER_ASKS_EVERY_MS = 250;

interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

interface HonestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The service closed a new connection without a response. */
class Refused extends Error {}

/** Customers who use the API as intended and check every response. */
export class HonestLoad {
  readonly problems: string[] = [];
  readonly durationsMs: number[] = [];
  private readonly animals = new Map<number, string>();
  private readonly latest: [id: number, name: string][] = [];
  private problemCount = 0;
  private named = 0;
  private isOver = false;
  private welcomed = 0;
  private customers: Customer[] = [];
  private newcomers: NewKey[] = [];

  constructor(
    private readonly service: Service,
    private readonly seed: number,
  ) {}

  /** Creates the keys of the customers. */
  async prepare(): Promise<void> {
    const made = await Promise.all(
      Array.from({ length: CUSTOMERS + NEWCOMERS }, (_, index) => this.service.createKey(`Honest ${index}`)),
    );
    this.newcomers = made.splice(CUSTOMERS);
    this.customers = made.map(
      ({ key }, index) =>
        new Customer(this.service, key, index % 2 === 0, (durationMs) => this.durationsMs.push(durationMs)),
    );
  }

  get problemsLeftOut(): number {
    return this.problemCount - this.problems.length;
  }

  /** The requests with a response that count against the limits of an honest key. */
  get counted(): number {
    return this.customers.reduce((sum, { counted }) => sum + counted, this.welcomed);
  }

  /** Resolves after `stop`, when the last response has arrived. */
  async run(): Promise<void> {
    this.isOver = false;
    await Promise.all(this.customers.map((customer, index) => this.serve(customer, index)));
  }

  stop(): void {
    this.isOver = true;
  }

  /** Lets new customers in, one after another, from the address that guesses keys. Resolves after `stop`. */
  async welcome(): Promise<void> {
    for (let newcomer = this.newcomers.pop(); newcomer && !this.isOver; newcomer = this.newcomers.pop()) {
      try {
        await this.firstSuccess(newcomer.key);
        this.welcomed++;
      } catch (error) {
        await this.problem(`A new key: ${(error as Error).message}`);
      }
      await delay(NEWCOMER_EVERY_MS);
    }
  }

  /** Describes acknowledged animals that are missing, and animals that exist twice. */
  async missing(): Promise<string[]> {
    const customer = this.customers[0]!;
    const found = new Map<number, string>();
    let path: string | undefined = '/v1/pets?limit=100';
    while (path !== undefined) {
      const { headers, body } = await customer.ask('GET', path, 200);
      for (const { id, name } of JSON.parse(body) as Animal[]) found.set(id, name);
      path = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
    }
    const lost = [...this.animals].filter(([id, name]) => found.get(id) !== name);
    const names = [...found.values()].filter((name) => name.startsWith('Honest '));
    const twice = names.length - new Set(names).size;
    return [
      ...(lost.length > 0 ? [`${lost.length} of ${this.animals.size} acknowledged animals are missing`] : []),
      ...(twice > 0 ? [`${twice} animals are there twice`] : []),
    ];
  }

  /** Describes keys whose requests were not each counted once. */
  async miscounted(): Promise<string[]> {
    const found: string[] = [];
    for (const customer of this.customers) {
      const { headers } = await customer.ask('GET', '/v1/pets?limit=1', 200);
      const left = Number(/"day";r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
      const counted = KEY_PER_DAY - left;
      if (counted !== customer.counted)
        found.push(`${customer.counted} requests count as ${counted} of a day`);
    }
    return found;
  }

  close(): void {
    for (const customer of this.customers) customer.close();
  }

  private async serve(customer: Customer, index: number): Promise<void> {
    const random = new Random(this.seed, `customer ${index}`);
    while (!this.isOver && !this.service.hasEnded) {
      try {
        await this.act(customer, random);
      } catch (error) {
        await this.problem((error as Error).message);
      }
      await delay(random.between(REQUEST_EVERY_MS.least, REQUEST_EVERY_MS.most));
    }
  }

  private async act(customer: Customer, random: Random): Promise<void> {
    const share = random.fraction();
    if (share < 0.3) await customer.ask('GET', '/v1/pets', 200);
    else if (share < 0.4) await this.leafThrough(customer, random);
    else if (share < 0.6) await this.add(customer, random);
    else if (share < 0.75) await this.get(customer, random);
    else if (share < 0.9) await this.order(customer, random);
    else if (share < 0.93) await customer.ask('GET', '/v1/pets/9223372036854775807', 404);
    else if (share < 0.96) await customer.ask('POST', '/v1/pets', 400, { name: '' });
    else if (share < 0.98) await customer.ask('GET', '/openapi.json', 200);
    else await customer.ask('GET', '/health/ready', 200);
  }

  private async leafThrough(customer: Customer, random: Random): Promise<void> {
    let path = `/v1/pets?limit=${random.between(1, 100)}&status=${random.pick(['available', 'pending', 'sold'])}`;
    for (let pages = random.between(2, 5); pages > 0; pages--) {
      const { headers } = await customer.ask('GET', path, 200);
      const next = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
      if (next === undefined) return;
      path = next;
    }
  }

  private async add(customer: Customer, random: Random): Promise<Animal> {
    const name = `Honest ${++this.named}`;
    const isRepeated = random.chance(0.3);
    const headers: Record<string, string> = isRepeated
      ? { 'Idempotency-Key': name.replaceAll(' ', '-') }
      : {};
    const { body } = await customer.ask('POST', '/v1/pets', 201, { name, categoryId: 7 }, headers);
    const animal = JSON.parse(body) as Animal;
    if (animal.name !== name) throw new Error(`Added ${name}, but the response has ${animal.name}`);
    if (this.animals.has(animal.id)) throw new Error(`Two animals have the id ${animal.id}`);
    this.animals.set(animal.id, name);
    this.latest.push([animal.id, name]);
    if (this.latest.length > LATEST) this.latest.shift();
    if (!isRepeated) return animal;
    const again = await customer.ask('POST', '/v1/pets', 201, { name, categoryId: 7 }, headers);
    if (again.body !== body) throw new Error('A retry got another response');
    return animal;
  }

  private async get(customer: Customer, random: Random): Promise<void> {
    const [id, name] = random.pick(this.latest) ?? [];
    if (id === undefined) return;
    const { body } = await customer.ask('GET', `/v1/pets/${id}`, 200);
    if ((JSON.parse(body) as Animal).name !== name) throw new Error(`Animal ${id} is another one`);
  }

  private async order(customer: Customer, random: Random): Promise<void> {
    const { id: petId } = await this.add(customer, random);
    const { body } = await customer.ask('POST', '/v1/store/orders', 201, { petId });
    const { id } = JSON.parse(body) as { id: number };
    const end = random.pick(['complete', 'cancel']);
    await customer.ask('POST', `/v1/store/orders/${id}/${end}`, 200);
    const expected = end === 'complete' ? 'sold' : 'available';
    const animal = await customer.ask('GET', `/v1/pets/${petId}`, 200);
    if ((JSON.parse(animal.body) as Animal).status !== expected)
      throw new Error(`Animal ${petId} is not ${expected}`);
  }

  /** @throws Error when the key is not let in within its time. */
  private async firstSuccess(key: string): Promise<void> {
    const customer = new Customer(this.service, key, true, () => undefined, GUESSING_ADDRESS);
    const giveUpAtMs = performance.now() + NEWCOMER_IN_TIME_MS;
    try {
      for (;;) {
        const { status } = await customer.ask('GET', '/v1/pets?limit=1', null);
        if (status === 200) return;
        if (performance.now() > giveUpAtMs)
          throw new Error(`still ${status} after ${NEWCOMER_IN_TIME_MS} ms`);
        await delay(NEWCOMER_ASKS_EVERY_MS);
      }
    } finally {
      customer.close();
    }
  }

  private async problem(text: string): Promise<void> {
    // The end of the process is reported once, not by every request that fails because of it.
    if (await this.service.isGone()) return;
    this.problemCount++;
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(text);
  }
}

/** One key and the connections of its owner. */
class Customer {
  /** Requests that count against the limits of the key. */
  counted = 0;
  private readonly agent: Agent;

  constructor(
    private readonly service: Service,
    private readonly key: string,
    staysConnected: boolean,
    private readonly took: (durationMs: number) => void,
    private readonly address = '127.0.0.1',
  ) {
    this.agent = new Agent({ keepAlive: staysConnected });
  }

  /** @throws Error unless the response is in time and has `status`, if that is not null */
  async ask(
    method: string,
    path: string,
    status: number | null,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<HonestResponse> {
    const requestId = this.service.ledger.nextRequestId();
    const startedMs = performance.now();
    try {
      const response = await this.sent(method, path, { ...headers, 'X-Request-Id': requestId }, body);
      const durationMs = performance.now() - startedMs;
      this.service.ledger.respondedWith(requestId, response.status);
      this.took(durationMs);
      if (path.startsWith('/v1/')) this.counted++;
      if (durationMs > IN_TIME_MS)
        throw new Error(`status ${response.status} after ${Math.round(durationMs)} ms`);
      if (status !== null && response.status !== status) {
        throw new Error(`status ${response.status} instead of ${status}: ${response.body.slice(0, 200)}`);
      }
      return response;
    } catch (error) {
      throw new Error(
        `${method} ${path.replace(/cursor=.*/, 'cursor=…')} (${requestId}): ${(error as Error).message}`,
      );
    }
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request again when its connection was refused, as clients do: the service has read nothing from it. */
  private async sent(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<HonestResponse> {
    const giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      const overloads = this.service.overloads();
      try {
        return await this.send(method, path, headers, body);
      } catch (error) {
        const isFair = error instanceof Refused && overloads.metOne() && performance.now() < giveUpAtMs;
        if (!isFair) throw error;
        await delay(AGAIN_AFTER_MS);
      }
    }
  }

  private async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<HonestResponse> {
    const sent = request({
      host: '127.0.0.1',
      port: this.service.port,
      localAddress: this.address,
      agent: this.agent,
      method,
      path,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
    });
    sent.on('error', () => undefined).end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response').catch((error: NodeJS.ErrnoException) => {
      const isRefused = !sent.reusedSocket && CLOSED.includes(error.code ?? '');
      throw isRefused ? new Refused(error.message) : error;
    })) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, body: await text(response) };
  }
}
