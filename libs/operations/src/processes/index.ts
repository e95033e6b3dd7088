export { JsonLogger } from '../logging/json-logger.js';
export { StandardOutput } from '../logging/standard-output.js';
export { terminalLog } from '../logging/terminal-log.js';
export { exitOnUncaught, longestShutdownMs } from '../shutdown.js';
export { Primary, type PrimaryParts } from './primary.js';
export { Worker } from './worker.js';
