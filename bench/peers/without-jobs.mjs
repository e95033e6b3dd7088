/** The service itself without a part of its jobs: `WITHOUT=outbox` stores no events, `WITHOUT=worker` runs nothing. */
import { JobOutbox, JobWorker } from '../../libs/jobs/dist/index.js';

if (process.env.WITHOUT === 'outbox') {
  const done = Promise.resolve();
  Object.assign(JobOutbox.prototype, { add: () => done, run: (_name, work, within) => work(within) });
}
if (process.env.WITHOUT === 'worker')
  Object.assign(JobWorker.prototype, { onApplicationBootstrap() {}, wake() {} });
await import('../../dist/src/main.js');
