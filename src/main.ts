import { SystemClock } from '@animal-store/kernel';
import {
  exitOnUncaught,
  JsonLogger,
  longestShutdownMs,
  Primary,
  type PrimaryParts,
  StandardOutput,
  terminalLog,
  Worker,
} from '@animal-store/operations/processes';
import { readEnvironment } from './settings/environment.js';
import { InvalidSettings, loadSettings, type Settings } from './settings/settings.js';
import { listenProblem } from './start/listen-problem.js';

const settings = settingsOrExit();
const clock = new SystemClock();
const output = new StandardOutput(process.stdout, process);
const log = process.stdout.isTTY ? await terminalLog(output, process.stdout.hasColors()) : output;
// On a terminal both are the same.
const errors = process.stdout.isTTY ? null : process.stderr;
const logger = new JsonLogger(settings.log.level, log, clock.now, errors);
exitOnUncaught(process, logger);

if (settings.processes === 1) await serveAs(null);
else {
  const { default: cluster } = await import('node:cluster');
  await (cluster.worker ? serveAs(new Worker(process, cluster.worker.id === 1)) : startWorkers(cluster));
}

async function serveAs(worker: Worker | null): Promise<void> {
  // The primary does without the application, and its memory.
  const { serve } = await import('./start/serve.js');
  await serve({ settings, clock, output, logger, worker, exitOnBadStart });
}

async function startWorkers(cluster: PrimaryParts['cluster']): Promise<void> {
  const { shutdownDelayMs, shutdownGraceMs } = settings.server;
  const primary = new Primary({
    cluster,
    process,
    wanted: settings.processes,
    metrics: settings.metrics,
    logger,
    log,
    flushLog: (limitMs) => output.flush(limitMs),
    stopsWithinMs: longestShutdownMs(shutdownDelayMs, shutdownGraceMs),
  });
  await primary.start().catch(exitOnBadStart);
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
  // By name, as the primary does without the database.
  const isKnown = error instanceof InvalidSettings || (error as Error).name === 'DatabaseNotOpened';
  const line = isKnown ? (error as Error).message : listenProblem(error, settings);
  if (line === null) throw error;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
