import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { LineResponse, Sent } from './customer.js';

/** Longer than any time-out of the service and any fault. */
const GIVE_UP_AFTER_MS = 30_000;
/** How long a customer leaves a connection idle: less than the service, which may close it as a request is sent. */
const IDLE_MS = 1_000;
/** The errors of a connection that is refused, or lost before or within the response. */
const LOST = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** There is no whole response. */
export class ConnectionLost extends Error {
  constructor(
    message: string,
    /** Whether the connection was new, and was closed before a response began. */
    readonly wasRefused: boolean,
  ) {
    super(message);
  }
}

class PromptAgent extends Agent {
  override keepSocketAlive(socket: Duplex): boolean {
    const isReused = super.keepSocketAlive(socket) as unknown as boolean;
    (socket as Socket).setTimeout(IDLE_MS);
    return isReused;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    (socket as Socket).setTimeout(0);
    super.reuseSocket(socket, request);
  }
}

/** The connections of the owner of a key. */
export class KeyLine {
  private readonly agent: Agent;

  constructor(
    private readonly key: string,
    private readonly localAddress = '127.0.0.1',
    staysConnected = true,
  ) {
    this.agent = new PromptAgent({ keepAlive: staysConnected });
  }

  /** @throws ConnectionLost */
  async send(port: number, { method, path, body, headers }: Omit<Sent, 'replica'>): Promise<LineResponse> {
    const { agent, localAddress } = this;
    const sent = request({
      ...{ host: '127.0.0.1', port, localAddress, agent, method, path },
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
    });
    let response: IncomingMessage | undefined;
    try {
      sent.on('error', () => undefined).end(body && JSON.stringify(body));
      [response] = (await once(sent, 'response')) as [IncomingMessage];
      const content = await text(response);
      return {
        status: response.statusCode!,
        headers: new Headers(response.headers as Record<string, string>),
        body: content !== '' && isJson(response) ? JSON.parse(content) : null,
      };
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      const isLost = LOST.includes(code);
      if (!isLost && code !== 'ABORT_ERR') throw error;
      throw new ConnectionLost(message, isLost && !response && !sent.reusedSocket);
    }
  }

  close(): void {
    this.agent.destroy();
  }
}

function isJson({ headers }: IncomingMessage): boolean {
  return String(headers['content-type']).startsWith('application/json');
}
