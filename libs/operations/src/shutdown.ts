import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { constants } from 'node:os';
import { Injectable, type LoggerService, type OnModuleDestroy } from '@nestjs/common';
import { inTime } from '@animal-store/kernel';
import type { Connections } from '@animal-store/web';

type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/**
 * How long idle connections stay open after the signal. The next request may already be on its way on one of them; it
 * is served and its response has `Connection: close`. `server.close` would close these connections at once and lose
 * such requests.
 */
const IDLE_GRACE_MS = 500;
/** How often idle connections are closed while the last requests finish. */
const SWEEP_INTERVAL_MS = 50;

/** The server stops listening when no connection has arrived for this time. */
export const ACCEPT_QUIET_MS = 20;
/** It stops listening after this time in any case. */
const ACCEPT_LIMIT_MS = 500;

/** How long to wait for the reader of the log to take the last lines. */
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
  server: Server;
  readiness: { beginShutdown(): void };
  controller: Pick<ShutdownController, 'abort'>;
  connections: Pick<Connections, 'openRequests' | 'closeAfterResponses' | 'closeUnused' | 'closeAll'>;
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
 * On SIGTERM, SIGINT or SIGHUP: is not ready from then on. After the delay `ShutdownSignal` fires, which ends streams. The
 * server stops accepting connections as soon as none arrives, lets running requests finish, runs the hooks and exits with 0, or with 1 when a hook fails or hangs. A second
 * SIGTERM or SIGINT exits at once with 128 plus its number, as a shell would report it.
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
  const { readiness, controller, connections, closeApplication, delayMs, logger } = parts;
  logger.log(`${signal}: shutting down. Running requests: ${connections.openRequests}.`, 'Shutdown');
  readiness.beginShutdown();
  if (delayMs > 0) await delay(delayMs);
  controller.abort();
  await acceptWaiting(parts.server);
  connections.closeAfterResponses();
  await Promise.all([drain(parts), parts.endBackgroundWork?.(parts.graceMs)]);
  try {
    await inTime(HOOKS_LIMIT_MS, closeApplication(), 'A shutdown hook');
    return 0;
  } catch (error) {
    logger.fatal(error, 'Shutdown');
    return 1;
  }
}

/**
 * Accepts the connections that the kernel has accepted already: when the server stops listening, it resets them.
 * Resolves after a moment without a new one. Responses leave their connections open until then, as their callers would
 * connect again.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const untilMs = performance.now() + ACCEPT_LIMIT_MS;
  let hasAccepted: boolean;
  const onConnection = (): void => void (hasAccepted = true);
  server.on('connection', onConnection);
  do {
    hasAccepted = false;
    await delay(ACCEPT_QUIET_MS);
    // A turn of the event loop may take longer. One that is whole has looked for connections.
    await new Promise(setImmediate);
  } while (hasAccepted && performance.now() < untilMs);
  server.off('connection', onConnection);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when the last connection is closed: after its response, or by force after the grace period. */
function drain({ server, connections, graceMs, logger }: ShutdownParts): Promise<void> {
  return new Promise((resolve) => {
    const closeIdle = (): void => {
      server.closeIdleConnections();
      // For Node, a connection that has never sent a byte is not idle.
      connections.closeUnused();
      sweep = setTimeout(closeIdle, SWEEP_INTERVAL_MS);
    };
    let sweep = setTimeout(closeIdle, IDLE_GRACE_MS);
    const deadline = setTimeout(() => {
      logger.warn(`Running requests aborted after ${graceMs} ms: ${connections.openRequests}.`, 'Shutdown');
      // Node does not track connections that asked for a tunnel.
      connections.closeAll();
    }, graceMs);
    NetServer.prototype.close.call(server, () => {
      clearTimeout(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
