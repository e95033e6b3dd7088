import { MAX_TIMER_MS } from './time-limit.js';

export interface RetryOptions {
  /** The maximum number of retries. Default: 4. 0 means never. */
  retries?: number;
  /** The maximum of the first wait, in milliseconds, which doubles with each further wait. Default: 250. */
  firstWaitMs?: number;
  /**
   * The longest wait, in milliseconds. When the service requests a longer one, for example when the daily quota is used
   * up, the call fails at once. Default: 65 000, which is longer than the window of a minute.
   */
  longestWaitMs?: number;
  /** Resolves after the given milliseconds; for tests. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to but not including 1; for tests. */
  random?: () => number;
  /** The time in milliseconds since the Unix epoch; for tests. */
  now?: () => number;
}

const MAX_WAIT_MS = 65_000;

/** A response and its complete body. */
export interface Received {
  response: Response;
  text: string;
  /** In place of the text, when an operation that returns bytes succeeds. */
  bytes?: Blob;
}

/** One attempt: how to send it, and what to call with its response, if any. What this throws ends the call. */
export interface Attempt {
  readonly send: () => Promise<Received>;
  readonly onDone: (response: Response | null) => void;
}

/** Statuses after which a repeatable request is sent again, as the next try may succeed. */
const PASSING_STATUSES = new Set([408, 425, 500, 502, 503, 504]);

/**
 * Sends a request until it gets a final response.
 *
 * @param prepare called once per attempt, with the number of earlier ones. What it throws ends the call.
 * @param isRepeatable whether sending the request twice has the same effect as sending it once
 * @throws what `send` threw last
 */
export async function sendWithRetries(
  prepare: (retry: number) => Promise<Attempt>,
  isRepeatable: boolean,
  options: RetryOptions,
  signal?: AbortSignal,
): Promise<Received> {
  const { retries = 4, longestWaitMs = MAX_WAIT_MS, now = Date.now } = options;

  for (let retry = 0; ; retry++) {
    const { send, onDone } = await prepare(retry);
    let received: Received | null = null;
    let failure: unknown;
    try {
      received = await send();
    } catch (error) {
      failure = error;
    }
    onDone(received?.response ?? null);
    // Whether a request without a response was processed is unknown.
    const isLast = !(retry < retries);
    if (!received && (!isRepeatable || isLast || signal?.aborted)) throw failure;
    if (received && (isLast || !isWorthRepeating(received, isRepeatable))) return received;

    const requestedMs = received ? (retryAfterMs(received.response.headers, now()) ?? 0) : 0;
    if (received && requestedMs > longestWaitMs) return received;
    await backOff(retry, options, signal, requestedMs);
  }
}

/**
 * Waits before the next attempt: `requestedMs`, and a random time that doubles with each attempt, so that clients that
 * were refused together do not return together.
 */
function backOff(
  attempts: number,
  options: RetryOptions,
  signal?: AbortSignal,
  requestedMs = 0,
): Promise<void> {
  const { firstWaitMs = 250, longestWaitMs = MAX_WAIT_MS, sleep = sleepFor, random = Math.random } = options;
  return sleep(requestedMs + Math.min(longestWaitMs, firstWaitMs * 2 ** attempts) * random(), signal);
}

function isWorthRepeating({ response: { status }, text }: Received, isRepeatable: boolean): boolean {
  // A request over the limit was not processed, so it may be sent again.
  if (status === 429) return true;
  if (!isRepeatable) return false;
  return PASSING_STATUSES.has(status) || (status === 409 && text.includes('"idempotency_in_progress"'));
}

/** The `Retry-After` of a response in milliseconds from now; null without one (RFC 9110, section 10.2.3). */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const text = headers.get('Retry-After');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
