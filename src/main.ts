import type { AddressInfo } from 'node:net';
import { DatabaseNotOpened, openDatabase } from '@animal-store/database';
import { backlogProblem, Connections } from '@animal-store/web';
import {
  exitOnUncaught,
  JsonLogger,
  Readiness,
  shutDownOnSignals,
  StandardOutput,
  terminalLog,
  traceBatches,
} from '@animal-store/operations';
import { SystemClock } from '@animal-store/kernel';
import { createApp } from './create-app.js';
import { readEnvironment, unknownSettings } from './settings/environment.js';
import { InvalidSettings, loadSettings, type Settings } from './settings/settings.js';
import { listenProblem } from './listen-problem.js';
import { printFirstSteps } from './print-first-steps.js';
import { tables } from './tables.js';
import { COMMIT, VERSION } from './version.js';

const settings = settingsOrExit();
const clock = new SystemClock();
const output = new StandardOutput(process.stdout, process);
const log = process.stdout.isTTY ? await terminalLog(output, process.stdout.hasColors()) : output;
// On a terminal both are the same.
const errors = process.stdout.isTTY ? null : process.stderr;
const logger = new JsonLogger(settings.log.level, log, clock.now, errors);
exitOnUncaught(process, logger);
traceBatches();

const database = await openDatabase(
  settings.database,
  tables,
  { name: 'the server', nowMs: clock.now() },
  (sentence) => logger.warn(sentence, 'Database'),
).catch(exitOnBadStart);
const connecting = database.openConnections();
const app = await createApp({ settings, clock, database, logger }).catch(exitOnBadStart);
await connecting;
const server = app.getHttpServer();
shutDownOnSignals({
  process,
  server,
  readiness: app.get(Readiness),
  connections: app.get(Connections),
  closeApplication: () => app.close(),
  flushLog: (limitMs) => output.flush(limitMs),
  delayMs: settings.server.shutdownDelayMs,
  graceMs: settings.server.shutdownGraceMs,
  logger,
});
// Registered before Nest listens, so that a failure to listen is printed as one line and not logged by Nest.
server.once('error', exitOnBadStart);
await app.listen(settings.server.port, settings.server.host).catch(exitOnBadStart);
// From here on only a signal or an uncaught error ends the process. A connection that cannot be accepted is neither.
server.off('error', exitOnBadStart);
server.on('error', (error: Error) => logger.error(error, 'Server'));
const { address, port } = server.address() as AddressInfo;
logger.log({ message: `Listening on ${address}:${port}.`, version: VERSION, commit: COMMIT }, 'Server');
const problem = backlogProblem();
if (problem !== null) logger.warn(problem, 'Server');
for (const problem of unknownSettings()) logger.warn(problem, 'Settings');
await printFirstSteps({ app, settings, port, logger, print: (text) => output.write(text) });

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
