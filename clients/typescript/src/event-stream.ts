/** What the next connection of a stream needs to know of those before. */
export interface StreamPlace {
  lastEventId: string | undefined;
  /** How long the service wants its clients to wait before they come back, if it has said so. */
  retryMs: number | undefined;
}

/** An event as it was sent. */
export interface ReceivedEvent {
  id: string | undefined;
  type: string;
  data: string;
}

/** The service sends a comment every 15 seconds, so a connection without any for this time has broken. */
const MAX_SILENCE_MS = 45_000;

/**
 * The events in the body of a response (HTML standard, section 9.2.6), as they come. It closes the connection when it
 * ends, whatever ends it.
 *
 * @throws what breaks the connection, or the reason of `signal`
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  place: StreamPlace,
  signal?: AbortSignal,
): AsyncGenerator<ReceivedEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const close = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', close, { once: true });
  let rest = '';
  let afterReturn = false;
  let lines: string[] = [];
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await withinSilence(reader.read(), close);
      signal?.throwIfAborted();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      // The second half of a line break.
      const parts = (rest + (afterReturn ? text.replace(/^\n/, '') : text)).split(/\r\n|\r|\n/);
      if (text !== '') afterReturn = text.endsWith('\r');
      rest = parts.pop()!;
      for (const line of parts) {
        if (line !== '') {
          lines.push(line);
          continue;
        }
        const event = eventOf(lines, place);
        lines = [];
        if (event) yield event;
      }
    }
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

/** Ends a read that takes too long, as if the connection had been closed. */
async function withinSilence<T>(read: Promise<T>, close: () => void): Promise<T> {
  const timer = setTimeout(close, MAX_SILENCE_MS);
  try {
    return await read;
  } finally {
    clearTimeout(timer);
  }
}

function eventOf(lines: readonly string[], place: StreamPlace): ReceivedEvent | null {
  const data: string[] = [];
  let type = 'message';
  for (const line of lines) {
    const [, name, value] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line)!;
    if (name === 'data') data.push(value!);
    else if (name === 'event') type = value!;
    else if (name === 'id') place.lastEventId = value!;
    else if (name === 'retry' && /^\d+$/.test(value!)) place.retryMs = Number(value);
  }
  return data.length === 0 ? null : { id: place.lastEventId, type, data: data.join('\n') };
}
