import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ReadinessReport } from '../operations.options.js';
import { type Answers, converse, type Peer } from './questions.js';

/** Longer than the primary waits for the other workers. */
export const ANSWERS_WITHIN_MS = 3_000;

/** One of several processes that serve one port, as it sees itself. */
export class Worker {
  private readonly answers: Answers = {};
  private readonly ask: (question: string) => Promise<unknown>;

  /** @param isFirst it was started first, and alone says in the log what holds for all */
  constructor(
    primary: Peer,
    readonly isFirst: boolean,
  ) {
    this.ask = converse(primary, this.answers, ANSWERS_WITHIN_MS);
  }

  /** Answers the questions of the primary, once the application is complete. */
  answer(answers: Readonly<Answers>): void {
    Object.assign(this.answers, answers);
  }

  /** Whether the processes should receive requests, all together. Null when the primary does not respond. */
  async readinessOfAll(): Promise<ReadinessReport | null> {
    return (await this.ask('readiness')) as ReadinessReport | null;
  }

  /**
   * Call it when the server has stopped listening. Resolves when the connections that the primary had sent by then are
   * back: it gives them to other workers. It would never learn of those that a process leaves unread when it exits.
   */
  async handBackConnections(): Promise<void> {
    // The answer comes behind the connections that were sent before it.
    await this.ask('echo');
  }

  /**
   * Closes connections beyond `maxConnections`, as Node does in a process alone. In a worker it hands them back, and
   * when all workers have that many they go round without end.
   */
  boundConnections(server: Server): void {
    const most = server.maxConnections;
    // Not 0: from Node 21 on that refuses every connection.
    server.maxConnections = Infinity;
    let open = 0;
    server.prependListener('connection', (socket: Socket) => {
      open++;
      socket.once('close', () => open--);
      if (open <= most) return;
      server.emit('drop');
      socket.destroy();
    });
  }
}
