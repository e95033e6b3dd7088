import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../support/random.js';
import type {
  Animal,
  AnimalsRead,
  AnimalStatus,
  Operation,
  Order,
  OrdersRead,
  OrderStatus,
  Timed,
} from './history.js';

/** The rest after a request without a response or with a 503, so that an outage is not a flood. */
const AGAIN_AFTER_MS = { least: 5, most: 40 };
/** How often a page is read again when everything should work. */
const MAX_TRIES = 100;
/** No more pages at a time, however many animals there are. */
const MAX_PAGES = 50;
/** Limits of lists: few, so that customers request the same pages. */
const LIMITS = [5, 20, 100];
const ANIMAL_STATUSES: AnimalStatus[] = ['available', 'pending', 'sold'];
const ORDER_STATUSES: OrderStatus[] = ['placed', 'completed', 'cancelled'];

/** The response on a line. */
export interface LineResponse {
  /** 0 when the connection was lost. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers: Readonly<Record<string, string>>;
  /** The place of the replica. */
  readonly replica: number;
}

/** How the requests of a customer get to the service. */
export interface Line {
  /** The number of replicas. */
  readonly size: number;
  send(request: Sent): Promise<LineResponse>;
}

/** Records what customers see. */
export interface Witness {
  record(operation: Operation): void;
  /** A response that no request may get. */
  problem(text: string): void;
  /** A request has ended with this status. */
  ended(status: number): void;
}

interface TimedResponse extends LineResponse, Timed {
  readonly code: string | null;
}

/** Where a page begins. */
interface Place {
  readonly path: string;
  readonly after: number;
}

interface RequestParts {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** The place of the replica; any one without it. */
  readonly replica?: number;
}

/** What all customers know of the store. */
export class Noticeboard {
  /** The last page of animals that a customer has read: where the newest ones appear. */
  tail: Place = { path: '/v1/pets?limit=100', after: 0 };
  /** The animals of the last list of available ones. Everybody orders these, so orders meet. */
  available: readonly Animal[] = [];
  private names = 0;

  newName(): string {
    return `Animal ${++this.names}`;
  }
}

/** A customer with an account of its own, who sends requests to one replica after another and notes the responses. */
export class Customer {
  /** The customer's placed orders, as far as it knows. */
  private readonly open = new Set<number>();
  /** Animals that it may have ordered without a response (see Placement). */
  private readonly unsure = new Set<number>();
  /** The last page of each list, and its tag. */
  private readonly seen = new Map<string, { readonly tag: string; readonly items: readonly unknown[] }>();
  private isOver = false;
  private placements = 0;

  constructor(
    readonly name: string,
    private readonly line: Line,
    private readonly board: Noticeboard,
    private readonly witness: Witness,
    private readonly random: Random,
  ) {}

  /** Resolves after `stop`, with the last response. */
  async run(): Promise<void> {
    while (!this.isOver) await this.act();
  }

  stop(): void {
    this.isOver = true;
  }

  /** Leafs through all animals on one replica, which must respond by now. */
  async listAnimals(replica: number): Promise<void> {
    await this.listAll('/v1/pets?limit=100', ({ path, after }) =>
      this.pageOfAnimals(path, { after, status: null, replica }),
    );
  }

  /** Leafs through all orders of its own on one replica. */
  async listOrders(replica: number): Promise<void> {
    await this.listAll('/v1/store/orders?limit=100', ({ path, after }) =>
      this.pageOfOrders(path, { after, status: null, replica }),
    );
  }

  private async listAll(
    path: string,
    page: (place: Place) => Promise<Place | null | undefined>,
  ): Promise<void> {
    let tries = 0;
    for (let place: Place | null = { path, after: 0 }; place;) {
      const next: Place | null | undefined = await page(place);
      if (next !== undefined) place = next;
      else if (++tries === MAX_TRIES) throw new Error(`${this.name} cannot read ${place.path}.`);
    }
  }

  /** Sends one request, or a few that belong together. */
  async act(): Promise<void> {
    const { random, board } = this;
    const share = random.fraction();
    if (share < 0.2) await this.hotPage();
    else if (share < 0.32) await this.firstPage();
    else if (share < 0.38)
      await this.pageOfAnimals(board.tail.path, { after: board.tail.after, status: null });
    else if (share < 0.4) await this.leafThrough();
    else if (share < 0.5) await this.getAnimal();
    else if (share < 0.55) await this.firstPageOfOrders();
    else if (share < 0.58) await this.getOrder();
    else {
      if (share < 0.7) await this.add();
      else if (share < 0.85) await this.place();
      else await this.end();
      // Whatever has just become of an animal, every replica must show it from now on.
      await this.hotPage();
    }
  }

  private async leafThrough(): Promise<void> {
    let place: Place | null | undefined = { path: '/v1/pets?limit=100', after: 0 };
    for (let pages = MAX_PAGES; place && pages > 0; pages--)
      place = await this.pageOfAnimals(place.path, { after: place.after, status: null });
  }

  /** The page that changes with every order, and that everybody reads, so that reads of it meet in every replica. */
  private async hotPage(): Promise<void> {
    await this.pageOfAnimals('/v1/pets?limit=20&status=available', { after: 0, status: 'available' });
  }

  private async firstPage(): Promise<void> {
    const { random } = this;
    const limit = random.pick(LIMITS);
    const status = random.chance(0.7) ? random.pick(ANIMAL_STATUSES) : null;
    await this.pageOfAnimals(`/v1/pets?limit=${limit}${status ? `&status=${status}` : ''}`, {
      after: 0,
      status,
    });
  }

  /** Returns where the next page begins; null after the last one, undefined without a response. */
  private async pageOfAnimals(
    path: string,
    { after, status, replica }: { after: number; status: AnimalStatus | null; replica?: number },
  ): Promise<Place | null | undefined> {
    const page = await this.page<Animal>(path, replica);
    if (!page) return undefined;
    const { items, next, ...timed } = page;
    const last = items.at(-1)?.id ?? after;
    const read: AnimalsRead = {
      ...timed,
      kind: 'animals',
      status,
      after,
      upTo: next === null ? Infinity : last,
      animals: items,
    };
    this.witness.record(read);
    if (status === 'available' && after === 0) this.board.available = items;
    if (next === null) return null;
    if (status === null && last > this.board.tail.after) this.board.tail = { path: next, after: last };
    return { path: next, after: last };
  }

  private async firstPageOfOrders(): Promise<void> {
    const status = this.random.chance(0.7) ? this.random.pick(ORDER_STATUSES) : null;
    const path = `/v1/store/orders?limit=100${status ? `&status=${status}` : ''}`;
    await this.pageOfOrders(path, { after: 0, status });
  }

  private async pageOfOrders(
    path: string,
    { after, status, replica }: { after: number; status: OrderStatus | null; replica?: number },
  ): Promise<Place | null | undefined> {
    const page = await this.page<Order>(path, replica);
    if (!page) return undefined;
    const { items, next, ...timed } = page;
    const last = items.at(-1)?.id ?? after;
    this.recordOrders(timed, { status, after, upTo: next === null ? Infinity : last, orders: items });
    for (const order of items) if (order.status === 'placed') this.open.add(order.id);
    return next === null ? null : { path: next, after: last };
  }

  /** Gets a page, often with the tag of the page that it has of this list. */
  private async page<Item>(
    path: string,
    replica?: number,
  ): Promise<(Timed & { items: readonly Item[]; next: string | null }) | null> {
    const known = this.random.chance(0.5) ? this.seen.get(path) : undefined;
    const reply = await this.request('GET', path, {
      replica,
      headers: known ? { 'If-None-Match': known.tag } : {},
    });
    if (isUnknown(reply)) return null;
    if (reply.status !== 200 && !(known && reply.status === 304)) return this.unexpected('GET', path, reply);
    const items = reply.status === 304 ? known!.items : (reply.body as unknown[]);
    this.seen.set(path, { tag: reply.headers.get('etag')!, items });
    const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1] ?? null;
    return { ...timesOf(reply), items: items as readonly Item[], next };
  }

  private async getAnimal(): Promise<void> {
    const known = this.board.available;
    if (known.length === 0) return this.firstPage();
    const { id } = this.random.pick(known);
    const path = `/v1/pets/${id}`;
    const reply = await this.request('GET', path);
    if (isUnknown(reply)) return;
    if (reply.status !== 200 && reply.status !== 404) return void this.unexpected('GET', path, reply);
    this.recordAnimal(reply, id, reply.status === 200 ? (reply.body as Animal) : null);
  }

  private async getOrder(): Promise<void> {
    if (this.open.size === 0) return this.firstPageOfOrders();
    const id = this.random.pick([...this.open]);
    const path = `/v1/store/orders/${id}`;
    const reply = await this.request('GET', path);
    if (isUnknown(reply)) return;
    if (reply.status !== 200 && reply.status !== 404) return void this.unexpected('GET', path, reply);
    const orders = reply.status === 200 ? [reply.body as Order] : [];
    this.recordOrders(reply, { status: null, after: id - 1, upTo: id, orders });
  }

  /** Adds one animal or several at once, some with an Idempotency-Key. */
  private async add(): Promise<void> {
    const count = this.random.chance(0.2) ? this.random.between(2, 6) : 1;
    await Promise.all(Array.from({ length: count }, () => this.addOne()));
  }

  private async addOne(): Promise<void> {
    const name = this.board.newName();
    const status = this.random.chance(0.8) ? 'available' : this.random.pick(ANIMAL_STATUSES);
    const { reply, isUnsure, invokedMs } = await this.post('/v1/pets', name, {
      name,
      categoryId: 7,
      status,
    });
    if (!isUnknown(reply) && reply.status !== 201) return void this.unexpected('POST', '/v1/pets', reply);
    const id = reply.status === 201 ? (reply.body as Animal).id : null;
    if (id !== null && (reply.body as Animal).name !== name)
      this.witness.problem(`${name} was added, but the response is ${JSON.stringify(reply.body)}`);
    const addition = { by: reply.by, invokedMs, name, status, id, kind: 'addition' } as const;
    this.witness.record({ ...addition, returnedMs: isUnsure ? Infinity : reply.returnedMs });
  }

  private async place(): Promise<void> {
    // The first ones are in most lists, so others want them too.
    const wanted = this.board.available.slice(0, this.random.pick([1, 3, 20]));
    const left = wanted.filter(({ id }) => !this.unsure.has(id));
    if (left.length === 0) return this.firstPage();
    const { id: petId } = this.random.pick(left);
    const name = `${this.name} ${petId} ${++this.placements}`;
    const { reply, isUnsure, invokedMs } = await this.post('/v1/store/orders', name, { petId });
    const { by, returnedMs, status, code } = reply;
    const placement = { kind: 'placement', by, invokedMs, account: this.name, petId } as const;
    if (status === 201) {
      const orderId = (reply.body as Order).id;
      this.open.add(orderId);
      return this.witness.record({ ...placement, returnedMs, orderId });
    }
    if (isUnsure) {
      this.unsure.add(petId);
      this.witness.record({ ...placement, returnedMs: Infinity, orderId: null });
    }
    if (isUnknown(reply)) return;
    if (code === 'pet_not_available')
      this.witness.record({ ...timesOf(reply), kind: 'refused placement', petId });
    else if (code === 'unknown_pet') this.recordAnimal(reply, petId, null);
    else this.unexpected('POST', '/v1/store/orders', reply);
  }

  /** Completes or cancels one of its orders. */
  private async end(): Promise<void> {
    if (this.open.size === 0) return this.place();
    const orderId = this.random.pick([...this.open]);
    const [verb, kind] = this.random.chance(0.3)
      ? (['complete', 'completion'] as const)
      : (['cancel', 'cancellation'] as const);
    const path = `/v1/store/orders/${orderId}/${verb}`;
    const reply = await this.request('POST', path);
    const ending = { ...timesOf(reply), kind, account: this.name, orderId };
    // It stays open for the customer, who will try to end it again.
    if (isUnknown(reply)) return this.witness.record({ ...ending, returnedMs: Infinity });
    this.open.delete(orderId);
    if (reply.status === 200) this.witness.record(ending);
    else if (reply.code === 'order_not_open') this.witness.record({ ...ending, kind: 'refused ending' });
    else if (reply.status === 404)
      this.recordOrders(reply, { status: null, after: orderId - 1, upTo: orderId, orders: [] });
    else this.unexpected('POST', path, reply);
  }

  /**
   * Posts something, sometimes with an Idempotency-Key: then it repeats the request until it knows the outcome.
   * @returns the last response, the time of the first request, and whether there may be an outcome that is not in the
   * response: a refused repetition does not say what becomes of the requests before it.
   */
  private async post(path: string, name: string, body: object) {
    const isRepeated = this.random.chance(0.4);
    const headers: Record<string, string> = isRepeated
      ? { 'Idempotency-Key': name.replaceAll(' ', '-') }
      : {};
    const first = await this.request('POST', path, { body, headers });
    let reply = first;
    let isUnsure = isUnknown(reply);
    while (isRepeated && isUnknown(reply) && !this.isOver) {
      reply = await this.request('POST', path, { body, headers });
    }
    if (reply.status === 201) isUnsure = false;
    if (isRepeated && reply.status === 201 && this.random.chance(0.3)) {
      const again = await this.request('POST', path, { body, headers });
      if (again.status === 201 && !isDeepStrictEqual(again.body, reply.body))
        this.witness.problem(`${again.by}: a retry of POST ${path} got another response`);
    }
    return { reply, isUnsure, invokedMs: first.invokedMs };
  }

  private recordAnimal(reply: TimedResponse, id: number, animal: Animal | null): void {
    const animals = animal ? [animal] : [];
    this.witness.record({
      ...timesOf(reply),
      kind: 'animals',
      status: null,
      after: id - 1,
      upTo: id,
      animals,
    });
  }

  private recordOrders(timed: Timed, read: Pick<OrdersRead, 'status' | 'after' | 'upTo' | 'orders'>): void {
    this.witness.record({ ...timesOf(timed), ...read, kind: 'orders', account: this.name });
  }

  private unexpected(method: string, path: string, { by, status, body }: TimedResponse): null {
    this.witness.problem(`${by}: ${method} ${path} was ${status}: ${JSON.stringify(body)?.slice(0, 300)}`);
    return null;
  }

  private async request(method: string, path: string, parts: RequestParts = {}): Promise<TimedResponse> {
    const { body, headers = {}, replica = this.random.between(0, this.line.size - 1) } = parts;
    const by = `${this.name} of replica ${replica + 1}`;
    const invokedMs = performance.now();
    const response = await this.line.send({ method, path, body, headers, replica });
    const returnedMs = performance.now();
    this.witness.ended(response.status);
    if (response.status === 0 || response.status === 503)
      await delay(this.random.between(AGAIN_AFTER_MS.least, AGAIN_AFTER_MS.most));
    const code = (response.body as { code?: string } | null)?.code ?? null;
    return { ...response, code, by, invokedMs, returnedMs };
  }
}

function timesOf({ invokedMs, returnedMs, by }: Timed): Timed {
  return { invokedMs, returnedMs, by };
}

/** Whether the request may have had its effect, or not. */
function isUnknown({ status, code }: Pick<TimedResponse, 'status' | 'code'>): boolean {
  return status === 0 || status === 503 || code === 'idempotency_in_progress';
}
