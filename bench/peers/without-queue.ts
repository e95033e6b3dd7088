/** The service itself without the answer queue, which shows what the queue gains and loses (decision 0009). */
import { AnswerQueue, type ReadyAnswer } from '#libs/fast-express';

Object.assign(AnswerQueue.prototype, {
  expect(): void {
    // No answer waits for the requests of its turn.
  },
  add(answer: ReadyAnswer): void {
    answer.leave();
  },
});
await import('../../src/main.js');
