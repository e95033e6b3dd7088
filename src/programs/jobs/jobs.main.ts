import { SystemClock } from '@animal-store/kernel';
import { standardOutput } from '../run-program.js';
import { fileThatSets, readEnvironment } from '../../settings/environment.js';
import { runJobs } from './jobs.program.js';

process.exitCode = await runJobs(process.argv.slice(2), {
  environment: readEnvironment,
  fileThatSets,
  clock: new SystemClock(),
  print: standardOutput(),
  complain: (text) => process.stderr.write(text),
});
