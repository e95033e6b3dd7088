export { FastExpressAdapter } from './fast-express.adapter.js';
export type { FastExpressOptions } from './fast-express.adapter.js';
