export { AnswerQueue, type ReadyAnswer } from './answer-queue.js';
export { FastExpressAdapter } from './fast-express.adapter.js';
export type { FastExpressOptions } from './fast-express.adapter.js';
export { gatheringResponse } from './gathering.response.js';
