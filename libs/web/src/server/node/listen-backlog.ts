import { readFileSync } from 'node:fs';

/**
 * How many new connections wait in the kernel while the server is busy. The kernel drops more, and their clients see
 * resets and time-outs. Node's default is 511.
 */
export const LISTEN_BACKLOG = 4_096;

/** Linux reduces every backlog to this number. Elsewhere the file does not exist. */
const KERNEL_LIMIT = '/proc/sys/net/core/somaxconn';

/** The warning for the operator when the kernel allows fewer waiting connections; otherwise null. */
export function backlogProblem(file = KERNEL_LIMIT): string | null {
  const allowed = numberIn(file);
  if (allowed === null || allowed >= LISTEN_BACKLOG) return null;
  return `The kernel lets only ${allowed} new connections wait, and resets more in a burst. Allow ${LISTEN_BACKLOG}: sysctl -w net.core.somaxconn=${LISTEN_BACKLOG}`;
}

function numberIn(file: string): number | null {
  try {
    const number = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(number) ? null : number;
  } catch {
    return null;
  }
}
