/** A response that is ready to be sent. */
export interface QueuedResponse {
  sendNow(): void;
}

/** More would delay the first response and use memory for all of them, for little gain. */
const MOST_WAITING = 32;
/** Waiting costs a round of the event loop. After a request that came alone, this many responses do not wait. */
const NOT_WAITING = 31;

/**
 * Sends the responses to the requests of one turn of the event loop together, after all these requests have been read.
 * A client on the same machine, such as a proxy, is then woken once for many responses. A response waits for the work
 * on a few other requests at most, and never for later requests or the disk.
 */
export class ResponseQueue {
  // One array, reused: V8 would treat arrays that are created again and again, and live for a turn, as long-lived.
  private readonly waiting: QueuedResponse[] = [];
  private requestsThisTurn = 0;
  private notWaiting = 0;

  /**
   * Call it when a request has been read. Work that the request starts, such as a write, runs after the responses of
   * its turn are sent.
   */
  expect(): void {
    if (this.notWaiting > 0) this.notWaiting--;
    else if (this.requestsThisTurn++ === 0) setImmediate(this.endTurn);
  }

  add(response: QueuedResponse): void {
    const length = this.waiting.push(response);
    if (length === MOST_WAITING) this.flush();
    // After the turn of its request, a response is sent together with those that become ready at the same moment, for
    // example after a commit.
    else if (length === 1 && this.requestsThisTurn === 0) process.nextTick(this.flush);
  }

  /** Sends all waiting responses now. */
  readonly flush = (): void => {
    const { waiting } = this;
    let sent = 0;
    try {
      while (sent < waiting.length) waiting[sent++]!.sendNow();
    } finally {
      if (sent >= waiting.length) waiting.length = 0;
      else {
        // An error thrown by a listener of one response is rethrown here, but the other responses must still be sent.
        waiting.splice(0, sent);
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
