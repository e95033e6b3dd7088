export { exchange, parseResponses, RawConnection, type RawResponse } from './raw-connection.js';
export { ACCEPT_QUIET_MS, IDLE_GRACE_MS } from '../server/front-door.js';
export { SERVED_A_TURN } from '../server/turn-queue.js';
