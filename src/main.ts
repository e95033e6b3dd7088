import { DatabaseNotOpened } from '@animal-store/database';
import { SystemClock } from '@animal-store/kernel';
import { exitOnUncaught, JsonLogger, StandardOutput, terminalLog } from '@animal-store/operations';
import { readEnvironment } from './settings/environment.js';
import { InvalidSettings, loadSettings, type Settings } from './settings/settings.js';
import { listenProblem } from './start/listen-problem.js';
import { serve } from './start/serve.js';
import { withoutKeys } from './version.js';

const settings = settingsOrExit();
const clock = new SystemClock();
const output = new StandardOutput(process.stdout, process);
const log = process.stdout.isTTY ? await terminalLog(output, process.stdout.hasColors()) : output;
// On a terminal both are the same.
const errors = process.stdout.isTTY ? null : process.stderr;
const logger = new JsonLogger(settings.log.level, log, clock.now, errors, withoutKeys);
exitOnUncaught(process, logger);
await serve({ settings, clock, output, logger, exitOnBadStart });

function settingsOrExit(): Settings {
  try {
    return loadSettings(readEnvironment());
  } catch (error) {
    return exitOnBadStart(error);
  }
}

/** Prints an error that the operator can fix on one line, without a stack. */
function exitOnBadStart(error: unknown): never {
  const isKnown = error instanceof InvalidSettings || error instanceof DatabaseNotOpened;
  const line = isKnown ? error.message : listenProblem(error, settings);
  if (line === null) throw error;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
