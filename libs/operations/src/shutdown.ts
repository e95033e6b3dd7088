import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { Injectable, type LoggerService, type OnModuleDestroy } from '@nestjs/common';
import { inTime } from '@animal-store/kernel';
import { ACCEPT_LIMIT_MS, type FrontDoor } from '@animal-store/web';

type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/** How long to wait for the reader of the log to read the last lines. */
export const LOG_LIMIT_MS = 1_000;

/** Orchestrators kill the process after 30 s. The default grace period and this limit together stay well below that. */
const HOOKS_LIMIT_MS = 10_000;

/** Aborts `ShutdownSignal`, at the latest when the application is closed. */
@Injectable()
export class ShutdownController extends AbortController implements OnModuleDestroy {
  constructor() {
    super();
    // Every loop and stream of the service listens to it. Node warns about more than ten.
    setMaxListeners(0, this.signal);
  }

  onModuleDestroy(): void {
    this.abort();
  }
}

export interface ShutdownParts {
  process: Pick<NodeJS.Process, 'on' | 'exit'>;
  readiness: { startShutdown(): void };
  controller: Pick<ShutdownController, 'abort'>;
  frontDoor: Pick<FrontDoor, 'openRequests' | 'drain'>;
  /** Runs the shutdown hooks of the application, which save counters and close the database. */
  closeApplication: () => Promise<void>;
  /** Lets what runs in the background end, for at most this time. */
  endBackgroundWork?: (limitMs: number) => Promise<void>;
  flushLog: (limitMs: number) => Promise<void>;
  /** How long requests are still accepted, until load balancers have noticed that the server is not ready. */
  delayMs: number;
  /** How long running requests may take to finish. */
  graceMs: number;
  logger: Required<Pick<LoggerService, 'log' | 'warn' | 'fatal'>>;
}

/**
 * On SIGTERM, SIGINT or SIGHUP: is not ready from then on. After the delay `ShutdownSignal` fires, which ends streams.
 * The server stops accepting connections as soon as none arrives, lets running requests finish, runs the hooks and
 * exits with 0, or with 1 when a hook fails or hangs. A second SIGTERM or SIGINT exits at once with 128 plus its
 * number, as a shell would report it.
 */
export function shutDownOnSignals(parts: ShutdownParts): void {
  const { process } = parts;
  let shuttingDown = false;
  const onSignal = (signal: Signal): void => {
    if (shuttingDown) {
      // A terminal that is closed hangs up twice: the kernel does, and the shell.
      if (signal !== 'SIGHUP') process.exit(128 + constants.signals[signal]);
      return;
    }
    shuttingDown = true;
    void shutDown(parts, signal).then(async (exitCode) => {
      await parts.flushLog(LOG_LIMIT_MS);
      process.exit(exitCode);
    });
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
}

/** The longest shutdown with these settings. */
export function longestShutdownMs(delayMs: number, graceMs: number): number {
  return delayMs + ACCEPT_LIMIT_MS + graceMs + HOOKS_LIMIT_MS + LOG_LIMIT_MS;
}

/** Logs an uncaught exception as JSON and exits with 1, as the state of the process is unknown. */
export function exitOnUncaught(
  process: ShutdownParts['process'],
  logger: Pick<ShutdownParts['logger'], 'fatal'>,
): void {
  process.on('uncaughtException', (error) => {
    logger.fatal(error);
    process.exit(1);
  });
}

async function shutDown(parts: ShutdownParts, signal: Signal): Promise<number> {
  const { readiness, controller, frontDoor, closeApplication, delayMs, graceMs, logger } = parts;
  logger.log(`${signal}: shutting down. Running requests: ${frontDoor.openRequests}.`, 'Shutdown');
  readiness.startShutdown();
  if (delayMs > 0) await delay(delayMs);
  controller.abort();
  const [aborted] = await Promise.all([frontDoor.drain(graceMs), parts.endBackgroundWork?.(graceMs)]);
  if (aborted > 0) logger.warn(`Running requests aborted after ${graceMs} ms: ${aborted}.`, 'Shutdown');
  try {
    await inTime(HOOKS_LIMIT_MS, closeApplication(), 'A shutdown hook');
    return 0;
  } catch (error) {
    logger.fatal(error, 'Shutdown');
    return 1;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
