import type { AddressInfo } from 'node:net';
import { CreateFirstKey } from './access/application/create-first-key.use-case.js';
import { createApp } from './create-app.js';
import { readEnvironment } from './platform/config/environment.js';
import { InvalidSettings, loadSettings, type Settings } from './platform/config/settings.js';
import { openDatabase } from './platform/database/data-source.js';
import { DatabaseNotOpened } from './platform/database/database-not-opened.js';
import { Connections } from './platform/http/connections.js';
import { Readiness } from './platform/operations/health/readiness.js';
import { JsonLogger } from './platform/operations/logging/json-logger.js';
import { StandardOutput } from './platform/operations/logging/standard-output.js';
import { exitOnUncaught, shutDownOnSignals } from './platform/operations/shutdown.js';
import { tables } from './tables.js';
import { SystemClock } from './shared/clock.js';

const settings = settingsOrExit();
const clock = new SystemClock();
const output = new StandardOutput(process.stdout, process);
const logger = new JsonLogger(settings.log.level, output, () => clock.now());
exitOnUncaught(process, logger);

const database = await openDatabase(
  settings.database,
  tables,
  { name: 'the server', nowMs: clock.now() },
  (sentence) => logger.warn(sentence, 'Database'),
).catch(exitOnBadStart);
const app = await createApp({ settings, clock, database, logger }).catch(exitOnBadStart);
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
const { address, port } = server.address() as AddressInfo;
logger.log(`Listening on ${address}:${port}.`, 'Server');
if (settings.mode !== 'production' && settings.database.kind === 'sqlite') await offerFirstKey(port);

/** On an empty embedded database: creates a key and prints it with a request to try. */
async function offerFirstKey(port: number): Promise<void> {
  const first = await app.get(CreateFirstKey).execute();
  if (!first) return;
  process.stdout.write(`
Your first API key (Free plan), shown only now:

  ${first.text}

Try it:

  curl -i http://localhost:${port}/v1/pets -H 'Authorization: Bearer ${first.text}'

Explore it: http://localhost:${port}/docs

`);
}

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
  const line = isKnown ? error.message : listenProblem(error as NodeJS.ErrnoException);
  if (line === null) throw error;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function listenProblem({ syscall, message }: NodeJS.ErrnoException): string | null {
  const isAboutAddress = syscall === 'listen' || syscall === 'getaddrinfo';
  return isAboutAddress
    ? `The server cannot listen on the address set by PORT, HOST or METRICS_PORT: ${message}.`
    : null;
}
