/** The longest delay of a timer; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws RangeError for a time that `withTimeLimit` does not support */
export function assertTimeLimit(timeoutMs: number): void {
  if (timeoutMs === Infinity || (timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) return;
  throw new RangeError(`timeoutMs must be from 1 to ${MAX_TIMER_MS}, or Infinity for no time-out.`);
}

/**
 * Calls `send` with a signal that fires when the caller's signal does or, with a `TimeoutError`, after `timeoutMs`. It
 * then rejects with the reason, whatever `send` makes of the signal, and removes its timer and listener.
 *
 * @param timeoutMs Infinity for no time-out
 */
export async function withTimeLimit<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller?.throwIfAborted();
  const controller = new AbortController();
  const end = (): void => controller.abort(caller?.reason);
  caller?.addEventListener('abort', end, { once: true });
  const late = (): void =>
    controller.abort(new DOMException(`No response came within ${timeoutMs} ms.`, 'TimeoutError'));
  const timer = timeoutMs === Infinity ? undefined : setTimeout(late, timeoutMs);
  try {
    const { signal } = controller;
    const ended = new Promise<never>((_, reject) => (signal.onabort = () => reject(signal.reason as Error)));
    return await Promise.race([send(signal), ended]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', end);
  }
}
