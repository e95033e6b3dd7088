import { SystemClock } from '@animal-store/kernel';
import { standardOutput } from '../run-program.js';
import { runMigrateData } from './migrate-data.program.js';
import { fileThatSets, readEnvironment } from '../../settings/environment.js';
import { tables } from '../../contexts.js';

process.exitCode = await runMigrateData(process.argv.slice(2), {
  tables,
  environment: readEnvironment,
  fileThatSets,
  clock: new SystemClock(),
  print: standardOutput('continue'),
  complain: (text) => process.stderr.write(text),
});
