/**
 * Is loaded into the process before the service (`node --expose-gc --import`). It reports the memory and connections of
 * the process to the soak over the IPC channel. The service does not know of it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProbeReport {
  /** The bytes of the heap and of external memory, after garbage collection if the query requests it. */
  readonly usedBytes: number;
  readonly rssBytes: number;
  /** The open accepted connections: the port of the server and that of the client. */
  readonly connections: readonly (readonly [local: number, remote: number])[];
}

export interface ProbeQuery {
  readonly collect: boolean;
}

/** An object with a finalizer is only freed by the next collection, so one is not enough. */
const COLLECTIONS = 4;
const BETWEEN_COLLECTIONS_MS = 20;

const open = new Map<Socket, readonly [number, number]>();
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  open.set(socket, [socket.localPort ?? 0, socket.remotePort ?? 0]);
  socket.once('close', () => open.delete(socket));
});

process.on('message', (query: ProbeQuery) => void answer(query));
// When the soak is killed, nobody else would end this process.
process.on('disconnect', () => process.exit(1));
// The IPC channel must not delay the end of the process after the shutdown of the service.
process.channel!.unref();

async function answer({ collect }: ProbeQuery): Promise<void> {
  for (let done = 0; collect && done < COLLECTIONS; done++) {
    globalThis.gc!();
    await delay(BETWEEN_COLLECTIONS_MS);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const report: ProbeReport = {
    usedBytes: heapUsed + external,
    rssBytes: rss,
    connections: [...open.values()],
  };
  process.send!(report);
}
