export interface RetryOptions {
  /** How often a request is sent again at most. 4 when left out, 0 for never. */
  retries?: number;
  /** Up to how long the first wait is, in milliseconds; each further one may be twice as long. 250 when left out. */
  firstWaitMs?: number;
  /**
   * The longest wait, in milliseconds. When the service asks for a longer one, as it does once the quota of the day is
   * used up, the call fails at once instead. 65 000 when left out: a minute's limit is worth waiting for.
   */
  longestWaitMs?: number;
  /** Resolves after so many milliseconds; for tests. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to but not including 1; for tests. */
  random?: () => number;
  /** The time in milliseconds since the Unix epoch; for tests. */
  now?: () => number;
}

/** A response with its body, which has arrived as a whole. */
export interface Received {
  response: Response;
  text: string;
}

/** Worth another try if the request may be sent twice: the next response may be a better one. */
const PASSING_STATUSES = new Set([408, 425, 500, 502, 503, 504]);

/**
 * Sends a request until it is answered for good.
 *
 * @param send makes and sends the request; called once per try
 * @param onReceived called with every response, and with how many tries came before it
 * @param isRepeatable whether sending the request twice does no more than sending it once
 * @throws what `send` threw last
 */
export async function sendWithRetries(
  send: () => Promise<Received>,
  onReceived: (response: Response, retry: number) => void,
  isRepeatable: boolean,
  options: RetryOptions,
  signal?: AbortSignal,
): Promise<Received> {
  const {
    retries = 4,
    firstWaitMs = 250,
    longestWaitMs = 65_000,
    sleep = sleepFor,
    random = Math.random,
    now = Date.now,
  } = options;

  for (let retry = 0; ; retry++) {
    let received: Received | null = null;
    try {
      received = await send();
    } catch (error) {
      // No response: whether the request was served is unknown.
      if (!isRepeatable || retry >= retries || signal?.aborted) throw error;
    }
    if (received) onReceived(received.response, retry);
    if (received && (retry >= retries || !isWorthRepeating(received, isRepeatable))) return received;

    const backOffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** retry) * random();
    const askedMs = received ? (retryAfterMs(received.response.headers, now()) ?? 0) : 0;
    if (received && askedMs > longestWaitMs) return received;
    // On top of what was asked for: clients that were refused together must not come back together.
    await sleep(askedMs + backOffMs, signal);
  }
}

function isWorthRepeating({ response: { status }, text }: Received, isRepeatable: boolean): boolean {
  // A request over the limit was not served, whatever it was.
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
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
