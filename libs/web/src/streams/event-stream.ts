import type { ServerResponse } from 'node:http';
import { Logger, type MessageEvent } from '@nestjs/common';
import { toJson } from '@animal-store/kernel';
import type { Observable, Subscription } from 'rxjs';

/** Proxies close connections without traffic, and a client that has gone is noticed only when something is sent. */
const HEARTBEAT_MS = 15_000;
/** A handler that has given nothing by then has not failed: it is silent. */
const OPEN_WITHIN_MS = 1_000;
/** Of the events of an Observable, which cannot wait, for a client that does not read them. */
const MAX_WAITING_CHARACTERS = 262_144;

const COMMENT = ':\n\n';

/** One event of a stream. `data` that is no text is sent as JSON, in which a bigint is an exact number. */
export type StreamEvent<Data extends object = object> = Pick<MessageEvent, 'id' | 'type' | 'retry'> & {
  readonly data: Data | string;
};

/**
 * The body of a response of server-sent events: the text of each event, and a comment when there is none for long.
 * Events of an async iterable are read when the client has read those before; those of an Observable wait for it, up to
 * a bound.
 */
export class EventStream implements AsyncIterableIterator<string> {
  private readonly logger = new Logger('Streams');
  private readonly waiting: string[] = [];
  private waitingCharacters = 0;
  private source: AsyncIterator<unknown> | null = null;
  private isReading = false;
  private isOpen = false;
  private hasEnded = false;
  private failure: { readonly cause: unknown } | null = null;
  private wake = (): void => undefined;
  private readonly subscription: Subscription;

  /** @param handled what the handler returns: an async iterable of events, or the events themselves */
  constructor(
    handled: Observable<unknown>,
    private readonly response: ServerResponse,
    private readonly signal: AbortSignal,
  ) {
    this.subscription = handled.subscribe({
      next: (value) => this.take(value),
      error: (cause: unknown) => this.fail(cause),
      complete: () => {
        if (this.source === null) this.end();
      },
    });
    // Nest asks nothing more of the events of a client that has gone.
    signal.addEventListener('abort', this.release);
    if (signal.aborted) this.release();
  }

  /**
   * Resolves when the handler has returned its events, so that the headers can be sent.
   * @throws what the handler has thrown: the response can still have the status of it
   */
  async opened(): Promise<void> {
    const hasReturned =
      this.source !== null || this.waiting.length > 0 || this.hasEnded || this.failure !== null;
    if (!hasReturned) await this.change(OPEN_WITHIN_MS);
    if (this.failure) throw this.failure.cause;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (!this.isOpen) {
      this.isOpen = true;
      return { done: false, value: COMMENT };
    }
    this.readSource();
    if (this.isSilent()) await this.change(HEARTBEAT_MS);
    const text = this.waiting.shift();
    if (text === undefined && this.failure) throw this.failure.cause;
    if (text === undefined && this.hasEnded) return { done: true, value: undefined };
    this.waitingCharacters -= text?.length ?? 0;
    return { done: false, value: text ?? COMMENT };
  }

  return(): Promise<IteratorResult<string, undefined>> {
    this.release();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private isSilent(): boolean {
    return this.waiting.length === 0 && !this.hasEnded && this.failure === null;
  }

  private take(value: unknown): void {
    if (isAsyncIterable(value)) this.source = value[Symbol.asyncIterator]();
    else this.add(value);
    this.wake();
  }

  private readSource(): void {
    if (this.source === null || this.isReading || !this.isSilent()) return;
    this.isReading = true;
    this.source.next().then(
      ({ done, value }) => {
        this.isReading = false;
        if (done) this.end();
        else this.take(value);
      },
      (cause: unknown) => this.fail(cause),
    );
  }

  private add(event: unknown): void {
    const text = textOf(event);
    this.waitingCharacters += text.length;
    this.waiting.push(text);
    if (this.waitingCharacters <= MAX_WAITING_CHARACTERS || this.response.destroyed) return;
    this.logger.warn(
      `A client does not read its stream: ${this.waiting.length} events wait, so it is closed.`,
    );
    this.response.destroy();
  }

  private fail(cause: unknown): void {
    this.failure ??= { cause };
    this.wake();
  }

  private end(): void {
    this.hasEnded = true;
    this.wake();
  }

  private readonly release = (): void => {
    this.end();
    this.signal.removeEventListener('abort', this.release);
    this.subscription.unsubscribe();
    // A generator that waits for something ends when that has come.
    this.source
      ?.return?.()
      .catch((error: unknown) => this.logger.error('What a stream reads could not be closed.', error));
    this.source = null;
  };

  /** Resolves when something has changed, at the latest after `ms`. */
  private change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), ms).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** As the HTML standard has it (section 9.2.6). As with Nest, what is no object is the data itself. */
function textOf(value: unknown): string {
  const event = (typeof value === 'object' && value !== null ? value : { data: value }) as MessageEvent & {
    readonly comment?: string;
  };
  const { id, type, retry, comment, data } = event;
  const lines = [
    ...field('event', type),
    ...field('id', id),
    ...field('retry', retry),
    ...field('', comment),
    ...field('data', typeof data === 'object' || typeof data === 'bigint' ? toJson(data) : data),
  ];
  return `${lines.join('')}\n`;
}

/** A line for each line of the value. */
function field(name: string, value: string | number | undefined): string[] {
  if (value === undefined) return [];
  return String(value)
    .split(/\r\n|\r|\n/)
    .map((line) => `${name}: ${line}\n`);
}
