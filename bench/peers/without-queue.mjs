/** The service itself without the queues of a turn, which shows what they gain and lose (decision 0009). */
import { RequestQueue, ResponseQueue } from '../../dist/libs/fast-express/src/index.js';

Object.assign(RequestQueue.prototype, {
  add(request) {
    this.serve(request);
  },
});
Object.assign(ResponseQueue.prototype, {
  add(response) {
    response.sendNow();
  },
});
await import('../../dist/src/main.js');
