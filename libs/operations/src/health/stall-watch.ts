import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** The loop has stood for this many ticks of the watch when the process ends. */
const TICKS = 30;
const TICK_MS = 1_000;

const BEATS = 0;
/** Whether a debugger may stop the loop. */
const DEBUGGED = 1;

/**
 * The program of the watch, as text, since the service is bundled and a worker would be a file of its own. It counts its own
 * ticks and not time: a machine that was paused is not a loop that stands.
 */
const WATCH = `
const { writeSync } = require('node:fs');
const { beats, ticks, tickMs, line } = require('node:worker_threads').workerData;
let seen = Atomics.load(beats, ${BEATS});
let still = 0;
setInterval(() => {
  const beat = Atomics.load(beats, ${BEATS});
  still = beat === seen && Atomics.load(beats, ${DEBUGGED}) === 0 ? still + 1 : 0;
  seen = beat;
  if (still < ticks) return;
  try { writeSync(2, line + '\\n'); } catch {}
  process.kill(process.pid, 'SIGKILL');
}, tickMs);
`;

export interface StallWatchOptions {
  readonly tickMs?: number;
  readonly ticks?: number;
}

/**
 * Ends the process with SIGKILL and a line on stderr when its event loop has stood for 30 s, so that whoever supervises it
 * starts it again. Nothing in the loop could do so, and a loop that stands still accepts connections. A thread of its own
 * watches: the loop counts once a second, unless a debugger may stop it.
 *
 * @returns stops the watch
 */
export function endWhenStalled({ tickMs = TICK_MS, ticks = TICKS }: StallWatchOptions = {}): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  const line = `The event loop has stood for ${(ticks * tickMs) / 1_000} s. The process ends.`;
  const beat = (): void => {
    Atomics.add(beats, BEATS, 1);
    Atomics.store(beats, DEBUGGED, inspectorUrl() === undefined ? 0 : 1);
  };
  beat();
  const beating = setInterval(beat, tickMs).unref();
  const worker = new Worker(WATCH, {
    eval: true,
    workerData: { beats, ticks, tickMs, line },
    // Not those of the process, which may load a tracer into every thread.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  worker.unref();
  return () => {
    clearInterval(beating);
    void worker.terminate();
  };
}
