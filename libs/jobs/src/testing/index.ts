export { JobRunner } from './job-runner.js';
