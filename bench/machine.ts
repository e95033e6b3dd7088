import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** Where the servers run, and where everything that keeps them busy does. */
export interface Cores {
  readonly servers: readonly number[];
  readonly load: number;
}

/** Cores to pin to; null where there is no `taskset` or only one core. */
export function cores(): Cores | null {
  const shown = spawnSync('taskset', ['-pc', String(process.pid)], { encoding: 'utf8' });
  if (shown.status !== 0) return null;
  const allowed = shown.stdout
    .split(':')
    .at(-1)!
    .trim()
    .split(',')
    .flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number) as [number, number?];
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  return allowed.length < 2 ? null : { servers: allowed.slice(0, -1), load: allowed.at(-1)! };
}

/** The command that runs `command` on `core`. */
export function pinned(core: number | undefined, command: readonly string[]): string[] {
  return core === undefined ? [...command] : ['taskset', '-c', String(core), ...command];
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
  });
}

export interface ProcessUsage {
  /** User and system time of all its threads since it started. */
  readonly cpuMs: number;
  readonly residentMb: number;
}

/** Linux counts process time in hundredths of a second, whatever the kernel's own tick. */
const TICK_MS = 10;

export function usageOf(pid: number): ProcessUsage {
  // The second field is the program's name in parentheses and may hold anything.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentMb: Number(resident[1]) / 1024,
  };
}

export function describeMachine(): string {
  const [first] = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${first?.model.trim()}, ${memoryGb} GB, ${process.platform}, Node ${process.version}`;
}
