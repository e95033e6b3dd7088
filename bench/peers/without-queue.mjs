/** The service itself without the queues of a turn, which shows what they gain and lose (decision 0009). */
import { ResponseQueue } from '../../dist/libs/web/src/server/response-queue.js';
import { TurnQueue } from '../../dist/libs/web/src/server/turn-queue.js';

Object.assign(TurnQueue.prototype, {
  add(connection) {
    this.serve(connection);
  },
});
// Sockets stay as they are.
Object.assign(ResponseQueue.prototype, { add() {} });
await import('../../dist/src/main.js');
