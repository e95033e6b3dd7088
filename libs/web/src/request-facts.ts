import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { HttpError } from '@animal-store/http-errors';

/** As responses and the OpenAPI document spell it. Node's requests use lower case. */
export const REQUEST_ID = 'X-Request-Id';

/** Facts of one request, beside those that Node, Express and the published packages store on it. */
export class RequestFacts {
  /** The asynchronous context in which the request was read, such as that of its trace. */
  readonly context = new AsyncResource('REQUEST');
  /** What is wrong with its head, although the parser accepts it. */
  headError: HttpError | null = null;
  /** Why its body will never be complete. */
  bodyError: Error | null = null;
  /** Rejects the reading of the body. */
  rejectBody: ((error: Error) => void) | null = null;
  /** Fires when its response, which stays open, must end. */
  streamSignal: AbortSignal | null = null;
  /** Reserves memory for bytes to send until the response is closed, or throws TooManyBodies or ServerFull. */
  reserve: ((bytes: number) => void) | null = null;
  requestId = '';
  /** The trace that it is part of, if there is one. */
  traceId: string | undefined;
  /** Why it failed, if the service could not process it. For the operator only. */
  failure: string | undefined;
  /** Monotonic milliseconds, for durations only. */
  startedAtMs = 0;
  /** How long its body took to arrive, when it came after the head. */
  bodyWaitMs: number | undefined;
}

/** On the request, as every step of it reads some, and a map would be slower. */
const FACTS = Symbol('facts');

/** The facts of a request of Node, which that of Express is. The first call is in the context of the request. */
export function factsOf(request: IncomingMessage & { [FACTS]?: RequestFacts }): RequestFacts {
  return (request[FACTS] ??= new RequestFacts());
}
