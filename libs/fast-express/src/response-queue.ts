/** A response that is ready to be sent. */
export interface QueuedResponse {
  sendNow(): void;
}

/** More would delay the first response and use memory for all of them, for little gain. */
const MOST_WAITING = 32;

/**
 * Sends responses that become ready at the same moment together, such as those to requests that are served together or
 * stored by one commit. A client on the same machine, such as a proxy, is then woken once for many responses.
 */
export class ResponseQueue {
  // One array, reused: V8 would treat arrays that are created again and again, and live for a turn, as long-lived.
  private readonly waiting: QueuedResponse[] = [];

  add(response: QueuedResponse): void {
    const length = this.waiting.push(response);
    if (length === MOST_WAITING) this.flush();
    else if (length === 1) process.nextTick(this.flush);
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
}
