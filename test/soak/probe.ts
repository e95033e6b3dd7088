/**
 * Loaded into the service ahead of it (`node --expose-gc --import`): tells the soak, over the channel between a process
 * and its child, what nobody outside can see. The service knows nothing of it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProbeReport {
  /** The heap and what belongs to it outside, after a collection when one was asked for. */
  readonly usedBytes: number;
  readonly rssBytes: number;
  /** The accepted connections that are open: the port of the server and that of the client. */
  readonly connections: readonly (readonly [local: number, remote: number])[];
}

export interface ProbeQuestion {
  readonly collect: boolean;
}

/** What is finalised by one collection is collected by the next. */
const COLLECTIONS = 4;
const BETWEEN_COLLECTIONS_MS = 20;

const open = new Map<Socket, readonly [number, number]>();
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  open.set(socket, [socket.localPort ?? 0, socket.remotePort ?? 0]);
  socket.once('close', () => open.delete(socket));
});

process.on('message', (question: ProbeQuestion) => void answer(question));
// The soak was killed: nobody would end the service.
process.on('disconnect', () => process.exit(1));
// A service that has nothing left to do ends, whoever listens.
process.channel!.unref();

async function answer({ collect }: ProbeQuestion): Promise<void> {
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
