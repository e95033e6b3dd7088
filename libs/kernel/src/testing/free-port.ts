import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems give ports from 32,768 to connections. Below 22,000 a port is free of them, and the one 10,000 above it. */
const RANGE = [10_000, 22_000] as const;

/** A port of the loopback interface that is not in use, nor are those that lie `distances` above it. */
export async function freePort(distances: readonly number[] = []): Promise<number> {
  for (;;) {
    const port = randomInt(...RANGE);
    const areFree = await Promise.all([0, ...distances].map((distance) => isFree(port + distance)));
    if (!areFree.includes(false)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
