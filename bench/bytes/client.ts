import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Data } from '../data.js';

const END_OF_HEAD = '\r\n\r\n';

/** Keeps connections busy with a counted number of requests, one at a time on each. */
export class Client {
  /** Each request of an operation is another one. */
  private readonly numbers = new Map<string, number>();
  private readonly lists = new Map<string, string[]>();

  private constructor(
    private readonly sockets: readonly Socket[],
    private readonly data: Data | null,
  ) {}

  static async connect(port: number, connections: number, data: Data | null): Promise<Client> {
    const opening = Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
      await new Promise((resolve, reject) => socket.once('connect', resolve).on('error', reject));
      return socket;
    });
    return new Client(await Promise.all(opening), data);
  }

  /**
   * @param request of a scenario
   * @throws Error when a response has a status that begins otherwise
   */
  async send(request: string, count: number, status = '2'): Promise<void> {
    let left = count;
    const next = () => (left-- > 0 ? this.filled(request) : null);
    await Promise.all(this.sockets.map((socket) => keepBusy(socket, next, status)));
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** The request of a scenario with everything between two @ replaced. */
  private filled(request: string): string {
    const number = (this.numbers.get(request) ?? 0) + 1;
    this.numbers.set(request, number);
    return request.replaceAll(/@(\w+)@/g, (_, name: string) => {
      if (name.includes('number')) return name === 'number' ? `${number}` : `${number}`.padStart(10);
      const list = this.list(name);
      return list[number % list.length]!;
    });
  }

  private list(name: string): string[] {
    let list = this.lists.get(name);
    if (!list) this.lists.set(name, (list = readFileSync(`${this.data!.file}.${name}`, 'utf8').split('\n')));
    return list;
  }
}

/** Resolves when there is no next request. */
function keepBusy(socket: Socket, next: () => string | null, status: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    const go = () => {
      const request = next();
      if (request !== null) {
        socket.write(request);
        return;
      }
      socket.off('close', onClose).off('data', onData);
      resolve();
    };
    const onClose = () => reject(new Error('The server has closed a connection.'));
    const onData = (text: string) => {
      received += text;
      const head = received.indexOf(END_OF_HEAD);
      if (head === -1) return;
      const length = Number(/^content-length: (\d+)/im.exec(received)?.[1]);
      if (received.length < head + END_OF_HEAD.length + length) return;
      if (!received.startsWith(`HTTP/1.1 ${status}`))
        reject(new Error(`The response is another one: ${received}`));
      received = '';
      go();
    };
    socket.on('close', onClose).on('data', onData);
    go();
  });
}
