/** The service itself without the answer queue, which shows what the queue gains and loses (decision 0009). */
import { AnswerQueue } from '../../dist/libs/fast-express/src/index.js';

Object.assign(AnswerQueue.prototype, {
  expect() {
    // No answer waits for the requests of its turn.
  },
  add(answer) {
    answer.leave();
  },
});
await import('../../dist/src/main.js');
