import { StorageUnavailable } from '../storage-unavailable.js';

export interface BatcherOptions {
  /** The maximum of items in a batch. */
  readonly max: number;
  /** The maximum of batches in flight. Further items wait. Default: any number. */
  readonly atOnce?: number;
  /** How long an item may wait until its batch begins. Default: as long as it takes. */
  readonly limitMs?: number;
  /** For how long a batch counts as in flight, even when it is done. Default: until it is done. */
  readonly everyMs?: number;
}

/**
 * While some of several batches are in flight, how long an item waits for them before another begins beside them: the
 * longer, the larger the batches.
 */
const PATIENCE_MS = 10;

/** Follows items into their batches, as a tracer does. */
export interface BatchObserver<Origin> {
  /** Called when an item arrives. */
  origin(): Origin;
  /** Sends a batch. `origins` are those of its items, in their order. */
  sending<T>(origins: readonly Origin[], send: () => T): T;
}

let observer: BatchObserver<unknown> | null = null;

/** Sets the observer of all batches of this process; null for none, as at first. Set it before any item is added. */
export function observeBatches<Origin>(newObserver: BatchObserver<Origin> | null): void {
  observer = newObserver;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly origin: unknown;
  readonly arrivedAtMs: number;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

type Send<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Promise<Result>)[]> | readonly (Result | Promise<Result>)[];

/**
 * Sends items in batches: all that arrive in one turn of the event loop, in the order of their arrival. A batch begins
 * after each of its items has arrived.
 *
 * @example
 * ```ts
 * const squares = new Batcher((numbers: readonly number[]) => squaresFromAfar(numbers), { max: 100 });
 * await Promise.all([squares.add(2), squares.add(3)]); // one call, [4, 9]
 * ```
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private underWay = 0;
  private isGathering = false;
  private timer: NodeJS.Timeout | null = null;
  private readonly limits: Required<BatcherOptions>;
  private readonly patienceMs: number;

  /**
   * @param send resolves with a result for each item, in their order. A result may be a promise, which then is the
   *   outcome of its item alone. When `send` rejects, all items of the batch do.
   */
  constructor(
    private readonly send: Send<Item, Result>,
    { max, atOnce = Infinity, limitMs = Infinity, everyMs = 0 }: BatcherOptions,
  ) {
    this.limits = { max, atOnce, limitMs, everyMs };
    this.patienceMs = atOnce > 1 && atOnce < Infinity ? PATIENCE_MS : 0;
  }

  /** The number of items whose batch has not begun. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /**
   * Resolves with the item's result.
   * @throws StorageUnavailable when its batch does not begin within `limitMs`, if there is one
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const origin = observer?.origin();
      this.waiting.push({ item, origin, arrivedAtMs: performance.now(), resolve, reject });
      this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || this.waiting.length === 0) return;
    if (!this.canStart()) return this.watch();
    this.isGathering = true;
    setImmediate(this.endTurn);
  }

  private readonly endTurn = (): void => {
    this.isGathering = false;
    while (this.canStart()) void this.begin();
    this.watch();
  };

  private canStart(): boolean {
    const [oldest] = this.waiting;
    if (oldest === undefined || this.underWay >= this.limits.atOnce) return false;
    if (this.underWay === 0 || this.patienceMs === 0) return true;
    return performance.now() - oldest.arrivedAtMs >= this.patienceMs;
  }

  /** Never rejects: the items get the error. */
  private async begin(): Promise<void> {
    const { max, everyMs } = this.limits;
    const batch = this.waiting.splice(0, max);
    this.underWay++;
    const rest = everyMs > 0 && new Promise((resolve) => setTimeout(resolve, everyMs).unref());
    try {
      const send = () => this.send(batch.map(({ item }) => item));
      const results = await (observer === null
        ? send()
        : observer.sending(
            batch.map(({ origin }) => origin),
            send,
          ));
      if (results.length !== batch.length)
        throw new RangeError(`${batch.length} items were sent, but ${results.length} results were returned.`);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    if (rest) await rest;
    this.underWay--;
    this.gather();
  }

  /** Wakes up when the oldest item may begin beside the batches in flight, or has waited too long. */
  private watch(): void {
    const { patienceMs } = this;
    const { limitMs } = this.limits;
    const [oldest] = this.waiting;
    if (this.timer !== null || oldest === undefined) return;
    const waitedMs = performance.now() - oldest.arrivedAtMs;
    const waitLeftMs = patienceMs > waitedMs ? patienceMs - waitedMs : patienceMs || Infinity;
    const afterMs = Math.min(waitLeftMs, limitMs - waitedMs);
    if (afterMs === Infinity) return;
    // What has arrived by then is read first, however busy this process was: it may be the end of a batch.
    this.timer = setTimeout(() => setImmediate(this.wake), afterMs).unref();
  }

  private readonly wake = (): void => {
    this.timer = null;
    this.refuseLate();
    this.endTurn();
  };

  private refuseLate(): void {
    const { limitMs } = this.limits;
    const latestMs = performance.now() - limitMs;
    while (this.waiting.length > 0 && this.waiting[0]!.arrivedAtMs <= latestMs)
      this.waiting.shift()!.reject(new StorageUnavailable(`Those before it took more than ${limitMs} ms.`));
  }
}
