import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Logger, type MessageEvent } from '@nestjs/common';
import { toJson } from '@animal-store/kernel';
import { EMPTY, fromEvent, Observable, type Subscriber } from 'rxjs';
import { InvalidLastEventId } from './last-event-id.js';

/** Proxies close connections without traffic, and a lost client is noticed only when something is sent. */
const HEARTBEAT_MS = 15_000;
const LOOKS_EVERY_MS = 1_000;

export interface Followed<Item> {
  /** The id of the last row that the caller has; 0 to begin at the first. */
  readonly after: bigint;
  /** The next rows after an id, in the order of their ids; none when there are none yet. */
  readonly read: (after: bigint) => Promise<readonly Item[]>;
  readonly toData: (item: Item) => object;
  /** How often new rows are read. Default: every second. */
  readonly everyMs?: number;
}

/** A response that stays open. Its methods make what a handler with `@Sse()` returns. */
export class EventStream {
  private readonly logger = new Logger('Streams');

  constructor(
    private readonly response: ServerResponse,
    /** Fires when the response must end, and when its client has closed. */
    readonly signal: AbortSignal,
  ) {}

  /**
   * The events of a source, with a comment when nothing else keeps the connection. Each is read when the client has
   * read those before it. A bigint in `data` is an exact number. What fails later closes the connection, so that the
   * client does not think that it has all.
   */
  send(events: AsyncIterable<MessageEvent>): Observable<MessageEvent> {
    if (this.signal.aborted) return EMPTY;
    return new Observable<MessageEvent>((client) => {
      const heartbeat = setInterval(() => client.next({ comment: '' }), HEARTBEAT_MS);
      client.add(() => clearInterval(heartbeat));
      client.add(fromEvent(this.signal, 'abort').subscribe(() => client.complete()));
      this.pass(events, client).catch((error: unknown) => this.fail(error, client));
    });
  }

  /**
   * Rows, and then each new one. Whichever server has added it, it is found by its id, so rows must be committed in the
   * order of their ids. Those of a sequence of PostgreSQL are not: take the next from a row that the transaction locks
   * until its commit, or follow only rows whose transactions lock the same row first.
   *
   * An id ahead of all rows is refused, since the rows until then would be left out silently: it is of a database that
   * was set back, or was never sent. So when old rows are removed, the last one stays.
   *
   * @throws InvalidLastEventId, and what the first `read` throws: the response then has its status
   * @example
   * ```ts
   * return stream.follow({ after, read: (id) => this.list.execute(account, id), toData: toVisit });
   * ```
   */
  async follow<Item extends { readonly id: bigint }>(
    followed: Followed<Item>,
  ): Promise<Observable<MessageEvent>> {
    const { after, read } = followed;
    const first = await read(after > 0n ? after - 1n : after);
    if (after > 0n && first.length === 0) throw new InvalidLastEventId();
    return this.send(
      this.rows(
        first.filter(({ id }) => id > after),
        followed,
      ),
    );
  }

  /**
   * A state: what it is now, and then whenever it has changed. A caller that reconnects gets the current state.
   *
   * @throws what the first `read` throws: the response then has its status
   */
  async watch(read: () => Promise<object>): Promise<Observable<MessageEvent>> {
    return this.send(this.states(await read(), read));
  }

  private async *rows<Item extends { readonly id: bigint }>(
    first: readonly Item[],
    { after, read, toData, everyMs = LOOKS_EVERY_MS }: Followed<Item>,
  ): AsyncGenerator<MessageEvent> {
    let last = after;
    for (let items = first; !this.signal.aborted; items = await read(last)) {
      for (const item of items) {
        yield { id: String(item.id), data: toData(item) };
        last = item.id;
      }
      if (items.length === 0) await sleep(everyMs, undefined, { signal: this.signal });
    }
  }

  private async *states(first: object, read: () => Promise<object>): AsyncGenerator<MessageEvent> {
    let shown = '';
    for (let state = first; !this.signal.aborted; state = await read()) {
      const data = toJson(state);
      if (data !== shown) yield { data };
      shown = data;
      await sleep(LOOKS_EVERY_MS, undefined, { signal: this.signal });
    }
  }

  private async pass(events: AsyncIterable<MessageEvent>, client: Subscriber<MessageEvent>): Promise<void> {
    for await (const event of events) {
      if (client.closed) return;
      client.next(asText(event));
      await nextTurn();
      if (this.response.writableNeedDrain) await once(this.response, 'drain', { signal: this.signal });
    }
    client.complete();
  }

  private fail(error: unknown, client: Subscriber<MessageEvent>): void {
    // The waits end with the stream.
    if (this.signal.aborted) return;
    if (!this.response.headersSent) return client.error(error);
    this.logger.error('A stream has failed, so its connection is closed.', error);
    this.response.destroy();
  }
}

/** Nest makes JSON of other data, which has no bigint. */
function asText(event: MessageEvent): MessageEvent {
  const { data } = event;
  return typeof data === 'object' ? { ...event, data: toJson(data) } : event;
}
