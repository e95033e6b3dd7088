import { AnimalState } from './animal-state.js';
import type {
  Addition,
  AnimalsRead,
  Burst,
  History,
  Operation,
  OrdersRead,
  Placement,
} from '../cluster/history.js';
import { contradiction, type Step } from './linearization.js';

/** A step of one animal, with a text for the report. */
interface AnimalStep extends Step<AnimalState> {
  readonly by: string;
  readonly text: string;
}

const MAX_REPORTED = 5;

/**
 * Describes what no order of events can explain: each request takes effect for everybody at one moment between its
 * sending and its response, and one with an unknown outcome at one moment after its sending, or never. So everything
 * acknowledged is in each later response, no response goes back before an earlier one, one order wins, and nothing is
 * half there or twice.
 */
export function anomalies(history: History): string[] {
  const animals = new Animals(history.operations);
  return [
    ...animals.problems,
    ...history.operations.flatMap(shapeProblems),
    ...limited(animals.contradictions()),
    ...history.bursts.flatMap((burst) => burstProblems(burst, history)),
  ];
}

/** The steps of every animal of a history. */
class Animals {
  readonly problems: string[] = [];
  private readonly steps = new Map<number, AnimalStep[]>();
  private readonly names = new Map<number, string>();
  /** When each animal was first requested. No earlier read can show it. */
  private readonly addedAtMs = new Map<number, number>();
  private readonly petOfOrder = new Map<number, number>();
  private readonly ordersOfAccount = new Map<string, number[]>();
  private readonly sortedIds: readonly number[];

  constructor(operations: readonly Operation[]) {
    this.readAdditions(operations);
    this.readPlacements(operations);
    this.sortedIds = [...this.steps.keys()].sort((one, other) => one - other);
    for (const operation of operations) this.take(operation);
  }

  *contradictions(): Generator<string> {
    for (const [id, steps] of this.steps) {
      const found = contradiction(AnimalState.ABSENT, steps);
      if (!found) continue;
      const lines = found.map(
        ({ invokedMs, returnedMs, by, text }) =>
          `    ${invokedMs.toFixed(2)} to ${returnedMs.toFixed(2)} ms, ${by}: ${text}`,
      );
      yield `Nothing explains these responses about animal ${id} (${this.names.get(id)}):\n${lines.join('\n')}`;
    }
  }

  private readAdditions(operations: readonly Operation[]): void {
    const additions = new Map<string, Addition>();
    for (const operation of operations)
      if (operation.kind === 'addition') {
        additions.set(operation.name, operation);
        if (operation.id !== null) this.meet(operation.id, operation.name);
      }
    for (const operation of operations)
      if (operation.kind === 'animals') for (const { id, name } of operation.animals) this.meet(id, name);

    const ids = new Map<string, number>();
    for (const [id, name] of this.names) {
      const addition = additions.get(name);
      if (!addition) this.problems.push(`Nobody added animal ${id} (${name}).`);
      else if (ids.has(name)) this.problems.push(`${name} is there twice, as ${ids.get(name)} and ${id}.`);
      else {
        ids.set(name, id);
        this.addedAtMs.set(id, addition.invokedMs);
        this.steps.set(id, []);
        this.write(id, addition, `is added as ${addition.status}`, (state) => state.add(addition.status));
      }
    }
  }

  private meet(id: number, name: string): void {
    const known = this.names.get(id);
    if (known === undefined) this.names.set(id, name);
    else if (known !== name) this.problems.push(`Animal ${id} is ${known} and ${name}.`);
  }

  private readPlacements(operations: readonly Operation[]): void {
    const placements = operations.filter((one): one is Placement => one.kind === 'placement');
    const unknown = new Map<string, Placement>();
    for (const placement of placements) {
      const { account, petId, orderId } = placement;
      if (orderId === null) unknown.set(`${account} ${petId}`, placement);
      else this.place(placement, orderId);
    }
    for (const operation of operations) {
      if (operation.kind !== 'orders') continue;
      for (const { id, petId } of operation.orders) {
        const placedFor = this.petOfOrder.get(id);
        if (placedFor !== undefined) {
          if (placedFor !== petId)
            this.problems.push(`Order ${id} is for animals ${placedFor} and ${petId}.`);
          continue;
        }
        const name = `${operation.account} ${petId}`;
        const placement = unknown.get(name);
        if (placement) this.place(placement, id);
        else
          this.problems.push(
            `Order ${id} of ${operation.account} for animal ${petId} is not, or twice, placed.`,
          );
        unknown.delete(name);
      }
    }
  }

  private place(placement: Placement, orderId: number): void {
    const { petId, account } = placement;
    if (this.petOfOrder.has(orderId)) this.problems.push(`Two placements got order ${orderId}.`);
    this.petOfOrder.set(orderId, petId);
    const orders = this.ordersOfAccount.get(account) ?? [];
    orders.push(orderId);
    this.ordersOfAccount.set(account, orders);
    this.write(petId, placement, `gets order ${orderId}`, (state) => state.place(orderId));
  }

  private take(operation: Operation): void {
    if (operation.kind === 'animals') this.readAnimals(operation);
    else if (operation.kind === 'orders') this.readOrders(operation);
    else if (operation.kind === 'refused placement')
      this.read(
        operation.petId,
        operation,
        'cannot be ordered, as it is not available',
        ({ status }) => status === 'pending' || status === 'sold',
      );
    else if (operation.kind !== 'addition' && operation.kind !== 'placement') {
      const { kind, orderId } = operation;
      const petId = this.petOfOrder.get(orderId)!;
      if (kind === 'completion')
        this.write(petId, operation, `order ${orderId} is completed`, (state) => state.complete(orderId));
      else if (kind === 'cancellation')
        this.write(petId, operation, `order ${orderId} is cancelled`, (state) => state.cancel(orderId));
      else
        this.read(petId, operation, `order ${orderId} is not open`, (state) => {
          const status = state.statusOf(orderId);
          return status === 'completed' || status === 'cancelled';
        });
    }
  }

  private readAnimals(read: AnimalsRead): void {
    const shown = new Map(read.animals.map(({ id, status }) => [id, status]));
    for (const id of this.idsBetween(read.after, read.upTo)) {
      const status = shown.get(id);
      if (status) this.read(id, read, `is ${status}`, (state) => state.status === status);
      else if (read.returnedMs >= this.addedAtMs.get(id)!)
        this.read(id, read, isNot(read.status), (state) =>
          read.status === null ? state.status === null : state.status !== read.status,
        );
    }
  }

  private readOrders(read: OrdersRead): void {
    const shown = new Map(read.orders.map(({ id, status }) => [id, status]));
    for (const id of this.ordersOfAccount.get(read.account) ?? []) {
      if (id <= read.after || id > read.upTo) continue;
      const petId = this.petOfOrder.get(id)!;
      const status = shown.get(id);
      if (status)
        this.read(petId, read, `order ${id} is ${status}`, (state) => state.statusOf(id) === status);
      else
        this.read(petId, read, `order ${id} ${isNot(read.status)}`, (state) =>
          read.status === null ? state.statusOf(id) === null : state.statusOf(id) !== read.status,
        );
    }
  }

  private *idsBetween(after: number, upTo: number): Generator<number> {
    let least = 0;
    for (let most = this.sortedIds.length; least < most;) {
      const middle = (least + most) >> 1;
      if (this.sortedIds[middle]! <= after) least = middle + 1;
      else most = middle;
    }
    for (let index = least; index < this.sortedIds.length && this.sortedIds[index]! <= upTo; index++)
      yield this.sortedIds[index]!;
  }

  private write(
    petId: number,
    { invokedMs, returnedMs, by }: Operation,
    text: string,
    apply: (state: AnimalState) => AnimalState | null,
  ): void {
    this.steps.get(petId)?.push({ invokedMs, returnedMs, by, text, isRead: false, apply });
  }

  private read(
    petId: number,
    { invokedMs, returnedMs, by }: Operation,
    text: string,
    holds: (state: AnimalState) => boolean,
  ): void {
    const apply = (state: AnimalState) => (holds(state) ? state : null);
    this.steps.get(petId)?.push({ invokedMs, returnedMs, by, text, isRead: true, apply });
  }
}

function isNot(status: string | null): string {
  return status === null ? 'is not there' : `is not ${status}`;
}

function* limited(problems: Iterable<string>): Generator<string> {
  let count = 0;
  for (const problem of problems) {
    if (++count > MAX_REPORTED) return yield '… and more of the kind';
    yield problem;
  }
}

/** A list is in the order of its ids, and has only what was requested. */
function shapeProblems(operation: Operation): string[] {
  if (operation.kind !== 'animals' && operation.kind !== 'orders') return [];
  const { by, status, after, upTo } = operation;
  const items = operation.kind === 'animals' ? operation.animals : operation.orders;
  const isInOrder = items.every(({ id }, index) => id > (items[index - 1]?.id ?? after) && id <= upTo);
  const isFiltered = items.every((item) => status === null || item.status === status);
  if (isInOrder && isFiltered) return [];
  return [`${by}: a list of ${operation.kind} has wrong items: ${JSON.stringify(operation)}`];
}

/**
 * The keys of an account get one limit together. Around each loss of the counts in Redis, it may get it once more from
 * Redis and once from each replica.
 */
function burstProblems({ invokedMs, returnedMs, perMinute, statuses }: Burst, history: History): string[] {
  const isDisturbed = history.countsLost.some(
    ({ startedMs, endedMs }) => startedMs <= returnedMs && endedMs >= invokedMs,
  );
  if (isDisturbed) return [];
  const allowed = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 429).length;
  const when = `Between ${invokedMs.toFixed(2)} and ${returnedMs.toFixed(2)} ms`;
  if (allowed > perMinute) return [`${when} an account got ${allowed} responses of ${perMinute} a minute.`];
  if (refused > 0 && statuses.length - refused < perMinute)
    return [`${when} an account was refused after ${statuses.length - refused} of ${perMinute} requests.`];
  return [];
}
