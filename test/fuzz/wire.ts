import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FuzzRequest } from './fuzz-request.js';

export interface WireResponse {
  readonly status: number;
  /** The headers by name in lower case. The values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const PATIENCE_MS = 10_000;

/** Sends requests one after another, exactly as they are, and reuses the connection until the server closes it. */
export class Wire {
  private socket: Socket | null = null;
  private received = Buffer.alloc(0);

  constructor(private readonly port: number) {}

  async send(request: FuzzRequest): Promise<WireResponse> {
    const socket = await this.connected();
    socket.write(bytesOf(request));
    for (;;) {
      const response = this.readResponse(request.method);
      if (response && response.status >= 200) {
        const isStream = response.headers['content-type'] === 'text/event-stream';
        if (isStream || response.headers['connection'] === 'close') this.close();
        return response;
      }
      if (response) continue;
      if (socket.closed) throw new Error('The connection was closed without a response.');
      await once(socket, 'progress', { signal: AbortSignal.timeout(PATIENCE_MS) });
    }
  }

  close(): void {
    this.socket?.destroy();
    this.socket = null;
    this.received = Buffer.alloc(0);
  }

  private async connected(): Promise<Socket> {
    if (this.socket && !this.socket.closed) return this.socket;
    this.close();
    const socket = connect(this.port, '127.0.0.1');
    socket.on('data', (bytes: Buffer) => {
      if (socket === this.socket) this.received = Buffer.concat([this.received, bytes]);
      socket.emit('progress');
    });
    socket.on('error', () => undefined).on('close', () => socket.emit('progress'));
    this.socket = socket;
    await once(socket, 'connect');
    return socket;
  }

  private readResponse(method: string): WireResponse | null {
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd === -1) return null;
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)![1]);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(': ')).toLowerCase();
      const value = line.slice(name.length + 2);
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    const hasBody = method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
    // A stream is read as far as what came at once, which is one chunk.
    const length = Number(headers['content-length'] ?? Math.max(1, this.received.length - headEnd - 4));
    const end = headEnd + 4 + (hasBody ? length : 0);
    if (this.received.length < end) return null;
    const body = this.received.subarray(headEnd + 4, end);
    this.received = this.received.subarray(end);
    return { status, headers, body };
  }
}

function bytesOf({ method, path, headers, body }: FuzzRequest): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: store', ...headers.map((header) => header.join(': '))];
  if (body !== null) lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}
