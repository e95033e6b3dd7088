/** The service itself without the response queue, which shows what the queue gains and loses (decision 0009). */
import { ResponseQueue } from '../../dist/libs/fast-express/src/index.js';

Object.assign(ResponseQueue.prototype, {
  expect() {
    // No response waits for the requests of its turn.
  },
  add(response) {
    response.sendNow();
  },
});
await import('../../dist/src/main.js');
