import { runMigrateData } from './platform/data-move/migrate-data.program.js';
import { schemas } from './schemas.js';
import { SystemClock } from './shared/clock.js';

process.exitCode = await runMigrateData(process.argv.slice(2), {
  schemas,
  clock: new SystemClock(),
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
