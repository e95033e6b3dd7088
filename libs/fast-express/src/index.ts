export { RequestQueue } from './request-queue.js';
export { ResponseQueue, type QueuedResponse } from './response-queue.js';
export { FastExpressAdapter } from './fast-express.adapter.js';
export type { FastExpressOptions } from './fast-express.adapter.js';
export { bufferedResponse } from './buffered-response.js';
