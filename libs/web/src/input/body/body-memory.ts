import type { Request } from 'express';
import { ServerFull, TooManyBodies } from '../../responses/request.errors.js';
import { callerIn } from '../../streams/streams.js';

/** A guess, because it is unknown when memory will be free. */
const RETRY_AFTER_SECONDS = '10';
/** The share of one caller, unless a single body needs more. */
const SHARE_OF_CALLER = 1 / 4;

/**
 * The memory for the bodies of operations that take bytes, from their first chunk, and for those that are sent. It is
 * released when the response is closed.
 */
export class BodyMemory {
  private used = 0;
  private readonly ofCallers = new Map<string, number>();

  /** @param maxBytes of all these bodies together */
  constructor(private readonly maxBytes: number) {}

  get usedBytes(): number {
    return this.used;
  }

  /**
   * @param largest what a single body may need
   * @returns reserves so many more bytes of the body, or throws TooManyBodies, or ServerFull
   */
  opened(request: Request, largest: number): (bytes: number) => void {
    const caller = callerIn(request);
    const max = Math.max(largest, this.maxBytes * SHARE_OF_CALLER);
    const response = request.res!;
    let reserved = 0;
    let isClosed = response.closed;
    response.once('close', () => {
      isClosed = true;
      this.add(caller, -reserved);
    });
    return (bytes) => {
      // Nothing would release it.
      if (isClosed) return;
      const ofCaller = (this.ofCallers.get(caller) ?? 0) + bytes;
      const isTooMuch = ofCaller > max;
      if (isTooMuch || this.used + bytes > this.maxBytes) {
        response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
        throw isTooMuch ? new TooManyBodies() : new ServerFull();
      }
      reserved += bytes;
      this.add(caller, bytes);
    };
  }

  private add(caller: string, bytes: number): void {
    this.used += bytes;
    const ofCaller = (this.ofCallers.get(caller) ?? 0) + bytes;
    if (ofCaller === 0) this.ofCallers.delete(caller);
    else this.ofCallers.set(caller, ofCaller);
  }
}
