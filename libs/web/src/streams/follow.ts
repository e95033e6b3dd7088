import { setTimeout as sleep } from 'node:timers/promises';
import { toJson } from '@animal-store/kernel';
import type { StreamEvent } from './event-stream.js';
import { InvalidLastEventId } from './last-event-id.js';

const EVERY_MS = 1_000;

export interface Followed<Item> {
  /** The id of the last row that the caller has; 0 to begin at the first. */
  readonly after: bigint;
  /** The next rows after an id, in the order of their ids; none when there are none yet. */
  readonly read: (after: bigint) => Promise<readonly Item[]>;
  readonly toData: (item: Item) => object;
  /** That of the stream. */
  readonly signal: AbortSignal;
  /** How often new rows are looked for. Default: every second. */
  readonly everyMs?: number;
}

/**
 * Rows as the events of a stream: those that there are, and then each new one. Whichever server has added it, it is
 * found by its id, so rows must be committed in the order of their ids. Those of a sequence of PostgreSQL are not: take
 * the next from a row that the transaction locks until its commit, or follow only rows whose transactions lock the same
 * row first.
 *
 * An id ahead of all rows is refused, since the rows until then would be left out without a word: it is of a database
 * that was set back, or was never sent. So when old rows are removed, the last one stays.
 *
 * @throws InvalidLastEventId, and what the first `read` throws: the response then has its status
 * @example
 * ```ts
 * return follow({ after, signal, read: (id) => this.list.execute(account, id), toData: toVisit });
 * ```
 */
export async function follow<Item extends { readonly id: bigint }>(
  followed: Followed<Item>,
): Promise<AsyncIterable<StreamEvent>> {
  const { after, read } = followed;
  if (after <= 0n) return eventsOf(await read(after), followed);
  const first = await read(after - 1n);
  if (first.length === 0) throw new InvalidLastEventId();
  return eventsOf(
    first.filter(({ id }) => id > after),
    followed,
  );
}

async function* eventsOf<Item extends { readonly id: bigint }>(
  first: readonly Item[],
  { after, read, toData, signal, everyMs = EVERY_MS }: Followed<Item>,
): AsyncGenerator<StreamEvent> {
  let last = after;
  for (let items = first; !signal.aborted; items = await read(last)) {
    for (const item of items) {
      yield { id: String(item.id), data: toData(item) };
      last = item.id;
    }
    if (items.length === 0) await pause(everyMs, signal);
    if (signal.aborted) return;
  }
}

export interface Watched {
  /** The state now. */
  readonly read: () => Promise<object>;
  /** That of the stream. */
  readonly signal: AbortSignal;
  /** How often it is looked at. Default: every second. */
  readonly everyMs?: number;
}

/**
 * A state as the events of a stream: what it is now, and then whenever it has changed. Events have no id, as a caller
 * that comes back gets the state of then.
 *
 * @throws what the first `read` throws: the response then has its status
 * @example
 * ```ts
 * return watch({ signal, read: async () => toTotals(await this.totals.execute(account)) });
 * ```
 */
export async function watch(watched: Watched): Promise<AsyncIterable<StreamEvent>> {
  return statesOf(await watched.read(), watched);
}

async function* statesOf(
  first: object,
  { read, signal, everyMs = EVERY_MS }: Watched,
): AsyncGenerator<StreamEvent> {
  let shown = '';
  for (let state = first; !signal.aborted; state = await read()) {
    const data = toJson(state);
    if (data !== shown) yield { data };
    shown = data;
    await pause(everyMs, signal);
    if (signal.aborted) return;
  }
}

/** Ends early when the stream does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
