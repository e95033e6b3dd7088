export { FastExpressAdapter } from './fast-express.adapter.js';
