import { AsyncResource } from 'node:async_hooks';

/** Waiting costs a round of the event loop. After a request that came alone, this many do not wait. */
const NOT_WAITING = 31;

/** A request, in the asynchronous context in which it was read, such as that of its trace. */
class WaitingRequest<Request> extends AsyncResource {
  constructor(readonly request: Request) {
    super('WAITING_REQUEST');
  }
}

/**
 * Serves the requests of one turn of the event loop when all of them have been read, in their order. Each step is then
 * done for all of them before the next one, so that its code and data are still in the caches of the processor.
 */
export class RequestQueue<Request> {
  // One array, reused: V8 would treat arrays that are created again and again, and live for a turn, as long-lived.
  private readonly waiting: WaitingRequest<Request>[] = [];
  private notWaiting = 0;
  private isServing = false;

  constructor(private readonly serve: (request: Request) => unknown) {}

  add(request: Request): void {
    if (this.notWaiting > 0) {
      this.notWaiting--;
      this.serve(request);
    } else if (this.waiting.push(new WaitingRequest(request)) === 1) setImmediate(this.endTurn);
  }

  /** Whether one of the waiting requests fulfils `test`. */
  some(test: (request: Request) => boolean): boolean {
    return this.waiting.some(({ request }) => test(request));
  }

  /** Serves all waiting requests now. */
  readonly flush = (): void => {
    const { waiting, serve } = this;
    if (this.isServing) return;
    this.isServing = true;
    let served = 0;
    try {
      while (served < waiting.length) {
        const next = waiting[served++]!;
        next.runInAsyncScope(serve, undefined, next.request);
      }
    } finally {
      this.isServing = false;
      if (served >= waiting.length) waiting.length = 0;
      else {
        // What serving one request throws is thrown here, but the others must still be served.
        waiting.splice(0, served);
        setImmediate(this.flush);
      }
    }
  };

  private readonly endTurn = (): void => {
    if (this.waiting.length === 1) this.notWaiting = NOT_WAITING;
    this.flush();
  };
}
