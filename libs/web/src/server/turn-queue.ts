/**
 * When so many requests of a turn have been served, only connections that had none in this turn get one. A connection
 * that sends many requests at once gets as many in a turn, and the others are read before its next ones.
 */
export const SERVED_A_TURN = 4;

/** Waiting costs a round of the event loop. After a request that came alone, this many do not wait. */
const NOT_WAITING = 31;

/** A connection whose next request waits. */
export interface Waiting {
  isQueued: boolean;
}

/**
 * Serves the requests of one turn of the event loop when all of them have been read. Each step is then done for all of
 * them before the next one, so that its code and data are still in the caches of the processor.
 *
 * Work is counted by the turn: connections are served in turn, one request each, and the turn ends early.
 */
export class TurnQueue<Connection extends Waiting> {
  // One array, reused: V8 would treat arrays that are created again and again, and live for a turn, as long-lived.
  private readonly waiting: Connection[] = [];
  private notWaiting = 0;
  private isServing = false;

  /** @param serve serves one request of a connection, and adds the connection again when another one waits */
  constructor(private readonly serve: (connection: Connection) => void) {}

  /** @param isFirst whether its request is the only open one of its connection */
  add(connection: Connection, isFirst: boolean): void {
    if (isFirst && this.notWaiting > 0) {
      this.notWaiting--;
      this.serve(connection);
    } else if (!connection.isQueued) {
      connection.isQueued = true;
      if (this.waiting.push(connection) === 1 && !this.isServing) setImmediate(this.serveTurn);
    }
  }

  private readonly serveTurn = (): void => {
    const { waiting } = this;
    const connections = waiting.length;
    let served = 0;
    this.isServing = true;
    try {
      while (served < connections || (served < SERVED_A_TURN && served < waiting.length)) {
        const connection = waiting[served++]!;
        connection.isQueued = false;
        this.serve(connection);
      }
      if (waiting.length === 1) this.notWaiting = NOT_WAITING;
    } finally {
      this.isServing = false;
      // What serving one request throws is thrown here, but the others must still be served.
      if (served === waiting.length) waiting.length = 0;
      else {
        waiting.splice(0, served);
        setImmediate(this.serveTurn);
      }
    }
  };
}
