import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpException, OnModuleInit } from '@nestjs/common';
import { callerOf, type CallerSignals } from '@animal-store/api-keys';
import { addressSubject } from '@animal-store/rate-limiting';
import { factsOf } from '../request-facts.js';
import { ServerFull, TooManyStreams } from '../responses/request.errors.js';

/** How long a handler may take to end a stream whose caller may no longer have it. */
const ENDS_WITHIN_MS = 1_000;
/** The kernel notices a client that has vanished after a few of these. */
const KEEP_ALIVE_MS = 30_000;
/** A guess, because it is unknown when another stream ends. */
const RETRY_AFTER_SECONDS = '10';

export interface StreamBounds {
  readonly maxStreams: number;
  /** At most half of all, whatever is set. */
  readonly maxStreamsPerAccount: number;
}

/** The responses that stay open until their handlers end them. */
export class Streams implements OnModuleInit {
  private readonly open = new Set<AbortController>();
  /** By account, or by the address of a caller without a key. */
  private readonly counts = new Map<string, number>();
  private callers: Pick<CallerSignals, 'watch'> | undefined;

  constructor(
    private readonly bounds: StreamBounds,
    private readonly shutdown: AbortSignal,
  ) {}

  onModuleInit(): void {
    this.shutdown.addEventListener('abort', () => {
      for (const controller of this.open) controller.abort();
    });
  }

  /** Ends the streams of a key that is revoked or expires; without it none is. Call it in `onModuleInit`. */
  endWith(callers: Pick<CallerSignals, 'watch'>): void {
    this.callers = callers;
  }

  get count(): number {
    return this.open.size;
  }

  /**
   * Lets a response stay open: it may be silent for any time, as long as its client reads what it gets. Call it before
   * anything is sent.
   *
   * @returns a signal that is aborted when the stream must end: the server shuts down, the key of the caller is revoked
   * or expires, or the client has closed. In the last two cases the response is closed by force a second later.
   * @throws TooManyStreams, ServerFull
   */
  add(request: IncomingMessage, response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    const caller = callerIn(request);
    const count = this.counts.get(caller) ?? 0;
    const refusal = this.refusal(count);
    if (refusal !== null) {
      response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
      throw refusal;
    }
    factsOf(request).streamSignal = controller.signal;
    if (response.closed || response.destroyed) {
      controller.abort();
      return controller.signal;
    }
    this.counts.set(caller, count + 1);
    const end = (): void => {
      controller.abort();
      setTimeout(() => response.destroy(), ENDS_WITHIN_MS).unref();
    };
    const { socket } = request;
    const stopWatching = this.callers?.watch(request, end);
    // A client that half-closes its connection still gets a response, but not a stream.
    if (socket.readableEnded) end();
    socket.setKeepAlive(true, KEEP_ALIVE_MS).once('end', end);
    this.open.add(controller);
    response.once('close', () => {
      this.open.delete(controller);
      const left = this.counts.get(caller)! - 1;
      if (left === 0) this.counts.delete(caller);
      else this.counts.set(caller, left);
      stopWatching?.();
      socket.off('end', end);
      controller.abort();
    });
    return controller.signal;
  }

  private refusal(count: number): HttpException | null {
    const { maxStreams, maxStreamsPerAccount } = this.bounds;
    const max = Math.min(maxStreamsPerAccount, Math.max(1, Math.floor(maxStreams / 2)));
    if (count >= max) return new TooManyStreams(max);
    return this.open.size >= maxStreams || this.shutdown.aborted ? new ServerFull() : null;
  }
}

/**
 * Whose share of the server a request uses: the account of its key, because an account may have many keys. A key
 * without an account is its own. Without a key it is the address, as it is limited, which Express sets as `ip`.
 */
export function callerIn(request: IncomingMessage & { readonly ip?: string }): string {
  const caller = callerOf<{ readonly account?: string }>(request);
  if (caller) return `account ${caller.account ?? caller.keyId}`;
  return addressSubject(request.ip ?? request.socket.remoteAddress);
}
