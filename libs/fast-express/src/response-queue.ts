/** An answer that is ready to leave. */
export interface QueuedResponse {
  sendNow(): void;
}

/** More would keep the first waiting, and the memory of all of them in use, for little gain. */
const MOST_WAITING = 32;
/** Waiting costs a round of the event loop: after a request that came alone, so many do not wait. */
const NOT_WAITING = 31;

/**
 * Lets the answers to the requests of one turn of the event loop leave one right after the other, when all of them have
 * been read: a client on the same machine, a proxy say, is then woken once for many answers rather than for each. An
 * answer waits for the work on a few other requests at most; for no request that came later and for no disk.
 */
export class ResponseQueue {
  // One list for good: V8 takes lists that are made again and again and live for a turn for something that lasts.
  private readonly waiting: QueuedResponse[] = [];
  private requestsThisTurn = 0;
  private notWaiting = 0;

  /** A request has been read. What is asked for by it, a write for instance, comes after the answers of its turn. */
  expect(): void {
    if (this.notWaiting > 0) this.notWaiting--;
    else if (this.requestsThisTurn++ === 0) setImmediate(this.endTurn);
  }

  add(answer: QueuedResponse): void {
    const length = this.waiting.push(answer);
    if (length === MOST_WAITING) this.flush();
    // After the turn of its request it still goes with those that become ready at the same moment, as after a commit.
    else if (length === 1 && this.requestsThisTurn === 0) process.nextTick(this.flush);
  }

  /** What waits leaves now. */
  readonly flush = (): void => {
    const { waiting } = this;
    let gone = 0;
    try {
      while (gone < waiting.length) waiting[gone++]!.sendNow();
    } finally {
      if (gone >= waiting.length) waiting.length = 0;
      else {
        // What a listener throws when its answer leaves is thrown here, and no reason for the others to stay.
        waiting.splice(0, gone);
        process.nextTick(this.flush);
      }
    }
  };

  private readonly endTurn = (): void => {
    if (this.requestsThisTurn === 1) this.notWaiting = NOT_WAITING;
    this.requestsThisTurn = 0;
    this.flush();
  };
}
