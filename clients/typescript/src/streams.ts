import { type AnimalStore, INTERNALS } from './client.js';
import { readEvents, type StreamPlace } from './event-stream.js';
import { OPERATIONS } from './generated/operations.js';
import { parseJson } from './json/json.js';
import type { CallOptions, Input, Options, StreamEvent, StreamName } from './method.js';
import { backOff } from './retry.js';

export type { StreamEvent, StreamName } from './method.js';

/** After a connection that lived longer, the next one is opened soon. */
const LONG_ENOUGH_MS = 10_000;

type StreamOptions = CallOptions & { lastEventId?: string };

/**
 * The events of a stream, for as long as you iterate. When the connection ends, a new one continues after the last
 * event. A `break` or the `signal` closes it.
 *
 * @throws StoreError when the service refuses the stream, or the reason of the signal
 * @example
 * ```ts
 * for await (const { data, id } of events(store, 'watchPhotos', {}, { signal })) {
 *   console.log(id, data.petId);
 * }
 * ```
 */
export async function* events<Name extends StreamName>(
  store: AnimalStore,
  operation: Name,
  input?: Input<Name>,
  streamOptions: Options<Name> = {},
): AsyncGenerator<StreamEvent<Name>, void> {
  const { call, options } = store[INTERNALS];
  const { now = Date.now } = options;
  const callOptions: StreamOptions = streamOptions;
  const { signal } = callOptions;
  const place: StreamPlace = { lastEventId: callOptions.lastEventId, retryMs: undefined };
  for (let fruitless = 0; ; fruitless++) {
    const next: StreamOptions = { ...callOptions, lastEventId: place.lastEventId };
    const { response } = await call(operation, input as object | undefined, next);
    const openedAtMs = now();
    try {
      for await (const { data, ...event } of readEvents(response.body!, place, signal)) {
        fruitless = 0;
        yield { ...event, data: parseJson(data, OPERATIONS[operation].output) } as StreamEvent<Name>;
      }
    } catch (error) {
      if (signal?.aborted || !isBroken(error)) throw error;
    }
    if (now() - openedAtMs > LONG_ENOUGH_MS) fruitless = 0;
    await backOff(fruitless, { firstWaitMs: place.retryMs, ...options }, signal);
  }
}

/** What `fetch` throws when a connection breaks. The others are errors of the program. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError;
}
