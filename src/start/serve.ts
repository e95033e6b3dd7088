import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { locationOf, openDatabase } from '@animal-store/database';
import { FrontDoor } from '@animal-store/web';
import {
  type JsonLogger,
  Readiness,
  ShutdownController,
  shutDownOnSignals,
  type StandardOutput,
  traceWork,
} from '@animal-store/operations';
import { JobWorker } from '@animal-store/jobs';
import type { Clock } from '@animal-store/kernel';
import { createApp } from '../create-app.js';
import { SERVICE } from '../version.js';
import { unknownSettings } from '../settings/environment.js';
import type { Settings } from '../settings/settings.js';
import { tables } from '../contexts.js';
import { COMMIT, VERSION } from '../version.js';
import { printFirstSteps } from './print-first-steps.js';

export interface ServeParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly output: StandardOutput;
  readonly logger: JsonLogger;
  readonly exitOnBadStart: (error: unknown) => never;
}

/** Opens the database, starts the server, and shuts it down on a signal. */
export async function serve(parts: ServeParts): Promise<void> {
  const { settings, clock, output, logger, exitOnBadStart } = parts;
  traceWork(SERVICE);

  const location = locationOf(settings.database);
  const isCreated = settings.database.kind === 'sqlite' && !existsSync(settings.database.file);
  const database = await openDatabase(settings.database, tables, {
    soleUser: { name: 'the server', nowMs: clock.now() },
    onWaiting: (sentence) => logger.warn(sentence, 'Database'),
  }).catch(exitOnBadStart);
  const connecting = database.openConnections();
  const app = await createApp({ settings, clock, database, logger }).catch(exitOnBadStart);
  await connecting;
  const server = app.getHttpServer();
  shutDownOnSignals({
    process,
    readiness: app.get(Readiness),
    controller: app.get(ShutdownController),
    frontDoor: app.get(FrontDoor),
    closeApplication: () => app.close(),
    endBackgroundWork: (limitMs) => app.get(JobWorker).stop(limitMs),
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
  logger.log(`Using the database ${location}.`, 'Database');
  // Outside of development the path is a setting, which may be misspelt.
  if (isCreated && settings.mode !== 'development')
    logger.warn(
      `There was no database ${location}, so an empty one was made. Is DATABASE_URL right?`,
      'Database',
    );
  const { problem } = app.get(FrontDoor);
  if (problem !== null) logger.warn(problem, 'Server');
  for (const unknown of unknownSettings()) logger.warn(unknown, 'Settings');
  await printFirstSteps({ app, settings, port, logger, print: (text) => output.write(text) });
}
