import { SystemClock } from '@animal-store/kernel';
import { standardOutput } from '../command-line/run-program.js';
import { readEnvironment } from '../settings/environment.js';
import { runJobs } from './run-jobs.js';

process.exitCode = await runJobs(process.argv.slice(2), {
  environment: readEnvironment,
  clock: new SystemClock(),
  print: standardOutput(),
  complain: (text) => process.stderr.write(text),
});
