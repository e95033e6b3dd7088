import { SystemClock } from '@animal-store/kernel';
import { runMigrateData } from './migrate-data.program.js';
import { tables } from '../tables.js';

process.exitCode = await runMigrateData(process.argv.slice(2), {
  tables,
  clock: new SystemClock(),
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
