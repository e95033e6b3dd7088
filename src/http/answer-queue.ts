/** An answer that is ready to leave. */
export interface ReadyAnswer {
  leave(): void;
}

/** More would keep the first waiting, and the memory of all of them in use, for little gain. */
const MOST_WAITING = 32;
/** Waiting costs a round of the event loop: after an answer that waited alone, so many leave at once. */
const NOT_WAITING = 31;

/**
 * Lets the answers of one turn of the event loop leave one right after the other, when the turn ends: a client on the
 * same machine, a proxy say, is then woken once for many answers rather than for each. An answer waits for the work on
 * a few others at most, and hardly ever when there are none.
 */
export class AnswerQueue {
  // One list for good: V8 takes lists that are made again and again and live for a turn for something that lasts.
  private readonly waiting: ReadyAnswer[] = [];
  private addedThisTurn = 0;
  private notWaiting = 0;

  add(answer: ReadyAnswer): void {
    if (this.notWaiting > 0) {
      this.notWaiting--;
      answer.leave();
      return;
    }
    if (this.addedThisTurn++ === 0) setImmediate(this.endTurn);
    this.waiting.push(answer);
    if (this.waiting.length === MOST_WAITING) this.letGo();
  }

  private readonly endTurn = (): void => {
    if (this.addedThisTurn === 1) this.notWaiting = NOT_WAITING;
    this.addedThisTurn = 0;
    this.letGo();
  };

  private letGo(): void {
    for (const answer of this.waiting) answer.leave();
    this.waiting.length = 0;
  }
}
