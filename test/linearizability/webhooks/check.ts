import type { Operation, Order } from '../../cluster/history.js';

export interface Subscriber {
  readonly webhook: string;
  readonly account: string;
  readonly events: readonly string[];
}

/** A request that a receiver got. */
export interface Delivered {
  readonly webhook: string;
  readonly eventId: string;
  /** What it says has happened, as `textOf` has it. */
  readonly what: string;
  readonly isSigned: boolean;
  readonly fromMs: number;
  /** When it was responded to, or its connection was closed. */
  readonly toMs: number;
  /** Whether the response was a success. */
  readonly hasArrived: boolean;
}

export interface WebhookHistory {
  readonly subscribers: readonly Subscriber[];
  readonly deliveries: readonly Delivered[];
  /** What customers have seen. */
  readonly operations: readonly Operation[];
  /** What is stored in the end. */
  readonly animals: readonly { readonly id: number; readonly name: string }[];
  readonly orders: readonly (Order & { readonly account: string })[];
}

const MAX_FINDINGS = 20;

/** What becomes of its animal. */
const STATUS_AFTER = { placed: 'pending', completed: 'sold', cancelled: 'available' } as const;

/** What the history has that webhooks never do. */
export function webhookAnomalies(history: WebhookHistory): string[] {
  const findings = [...unstored(history), ...misinformed(history), ...atOnce(history), ...forged(history)];
  return findings.slice(0, MAX_FINDINGS);
}

/** How many deliveries have arrived that had arrived before, which they may. */
export function doubledDeliveries({ deliveries }: WebhookHistory): number {
  const arrived = deliveries.filter(({ hasArrived }) => hasArrived);
  return arrived.length - new Set(arrived.map(({ webhook, eventId }) => `${webhook} ${eventId}`)).size;
}

/** What was acknowledged is stored. */
function* unstored({ operations, animals, orders }: WebhookHistory): Generator<string> {
  const animalIds = new Set(animals.map(({ id }) => id));
  const statuses = new Map(orders.map(({ id, status }) => [id, status]));
  for (const operation of operations) {
    const { kind, returnedMs } = operation;
    if (returnedMs === Infinity) continue;
    if (kind === 'addition' && operation.id !== null && !animalIds.has(operation.id))
      yield `animal ${operation.id} was acknowledged, and is not stored`;
    if (kind === 'placement' && operation.orderId !== null && !statuses.has(operation.orderId))
      yield `order ${operation.orderId} was acknowledged, and is not stored`;
    const isEnding = kind === 'completion' || kind === 'cancellation';
    const ended = kind === 'completion' ? 'completed' : 'cancelled';
    if (isEnding && statuses.get(operation.orderId) !== ended)
      yield `order ${operation.orderId} was ${ended}, and is stored as ${statuses.get(operation.orderId)}`;
  }
}

/** Each subscriber is notified of every stored change that it may read, as one event, and of nothing else. */
function* misinformed(history: WebhookHistory): Generator<string> {
  const changes = changesOf(history);
  for (const { webhook, account, events } of history.subscribers) {
    const expected = new Map<string, number>();
    for (const { event, audience, what } of changes)
      if (events.includes(event) && (audience === null || audience === account)) add(expected, what);
    const received = history.deliveries.filter((one) => one.webhook === webhook);
    const textById = new Map(received.map(({ eventId, what }) => [eventId, what]));
    const arrived = new Set(received.flatMap(({ eventId, hasArrived }) => (hasArrived ? [eventId] : [])));
    const [receivedBy, arrivedOf] = [new Map<string, number>(), new Map<string, number>()];
    for (const [eventId, what] of textById) {
      add(receivedBy, what);
      if (arrived.has(eventId)) add(arrivedOf, what);
    }
    for (const { eventId, what } of received)
      if (textById.get(eventId) !== what)
        yield `${webhook} was notified of ${what} and of ${textById.get(eventId)} as ${eventId}`;
    for (const [what, count] of expected)
      if ((arrivedOf.get(what) ?? 0) < count)
        yield `${webhook} was notified of ${what} ${arrivedOf.get(what) ?? 0} times, and it has happened ${count} times`;
    for (const [what, count] of receivedBy)
      if (count > (expected.get(what) ?? 0))
        yield `${webhook} was notified of ${what} as ${count} events, and it may know of ${expected.get(what) ?? 0}`;
  }
}

/** A webhook gets one request at a time. */
function* atOnce({ deliveries }: WebhookHistory): Generator<string> {
  const latest = new Map<string, Delivered>();
  for (const next of deliveries.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const before = latest.get(next.webhook);
    if (before !== undefined && next.fromMs < before.toMs)
      yield `${next.webhook} got two requests at once: ${shown(before)}, and ${shown(next)}`;
    if (before === undefined || next.toMs > before.toMs) latest.set(next.webhook, next);
  }
}

function* forged({ deliveries }: WebhookHistory): Generator<string> {
  for (const { webhook, what, isSigned } of deliveries)
    if (!isSigned) yield `${webhook} cannot verify ${what}`;
}

interface Change {
  readonly event: string;
  /** The account that may know of it; null for all. */
  readonly audience: string | null;
  readonly what: string;
}

/** Everything that must have happened for the store to be as it is. */
function changesOf({ animals, orders }: WebhookHistory): Change[] {
  const changes: Change[] = animals.map((animal) => change('animal.added', null, animal));
  for (const { account, ...order } of orders)
    for (const status of order.status === 'placed'
      ? (['placed'] as const)
      : (['placed', order.status] as const)) {
      changes.push(change(`order.${status}`, account, { ...order, status }));
      const animal = { id: order.petId, status: STATUS_AFTER[status] };
      changes.push(change('animal.status_changed', null, animal));
    }
  return changes;
}

function change(event: string, audience: string | null, data: Facts): Change {
  return { event, audience, what: textOf(event, data) };
}

interface Facts {
  readonly id: number;
  readonly name?: string;
  readonly petId?: number;
  readonly status?: string;
}

/** The text of what an event says. */
export function textOf(event: string, { id, name, petId, status }: Facts): string {
  if (event === 'animal.added') return `${event} ${id} ${name}`;
  return event.startsWith('order.') ? `${event} ${id} of ${petId}` : `${event} ${id} ${status}`;
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function shown({ what, fromMs, toMs }: Delivered): string {
  return `${what} from ${fromMs.toFixed(0)} to ${toMs.toFixed(0)} ms`;
}
