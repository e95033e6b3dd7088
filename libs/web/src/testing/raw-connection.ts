import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One HTTP response, parsed from the bytes on the connection. */
export interface RawResponse {
  readonly status: number;
  /** The headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATIENCE_MS = 30_000;

/** A connection that can send any bytes and stores everything it receives. */
export class RawConnection {
  /** Everything that was received. */
  text = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.text += text));
    // The server may reset the connection. Tests check what it sent before.
    socket.on('error', () => undefined);
  }

  /** @param address the client's address: any of 127.0.0.0/8 */
  static async open(port: number, address = '127.0.0.1'): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** The complete responses so far. */
  get responses(): RawResponse[] {
    return parseResponses(this.text);
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Resolves with the responses when the server has closed the connection. */
  async untilClosed(): Promise<RawResponse[]> {
    await this.moved(() => this.socket.closed);
    return this.responses;
  }

  /** Resolves with the responses when there are at least `count`. */
  async until(count: number): Promise<RawResponse[]> {
    await this.moved(() => this.responses.length >= count);
    return this.responses;
  }

  /** Resolves when `isDone` returns true. It is called after each event of the connection. */
  private moved(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (settle: () => void): void => {
        clearTimeout(deadline);
        this.socket.off('data', look).off('close', look);
        settle();
      };
      const look = (): void => {
        if (isDone()) stop(resolve);
        else if (this.socket.closed) stop(() => reject(new Error(`Closed after ${this.text}`)));
      };
      const deadline = setTimeout(
        () => stop(() => reject(new Error(`Nothing more within ${PATIENCE_MS} ms after ${this.text}`))),
        PATIENCE_MS,
      );
      this.socket.on('data', look).on('close', look);
      look();
    });
  }

  close(): void {
    this.socket.destroy();
  }

  /** Resets the connection, like a client that crashes. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

/** Sends `text` on a new connection and resolves with all responses when the server has closed it. */
export async function exchange(port: number, text: string): Promise<RawResponse[]> {
  const connection = await RawConnection.open(port);
  return connection.send(text).untilClosed();
}

/** Does not parse chunks, which this service never sends. Without a Content-Length the body is the rest of the text. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  for (let headEnd = rest.indexOf('\r\n\r\n'); headEnd !== -1; headEnd = rest.indexOf('\r\n\r\n')) {
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
      }),
    );
    const hasBody = status >= 200 && status !== 204 && status !== 304;
    const bodyEnd =
      headEnd + 4 + (hasBody ? Number(headers['content-length'] ?? rest.length - headEnd - 4) : 0);
    if (!(bodyEnd <= rest.length)) break;
    responses.push({ status, headers, body: rest.slice(headEnd + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}
