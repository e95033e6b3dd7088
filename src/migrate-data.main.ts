import { runMigrateData } from './platform/data-move/migrate-data.program.js';
import { tables } from './tables.js';
import { SystemClock } from '@animal-store/kernel';

process.exitCode = await runMigrateData(process.argv.slice(2), {
  tables,
  clock: new SystemClock(),
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
