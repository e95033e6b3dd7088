import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ResponseQueue } from './response-queue.js';
import { bufferedResponse } from './buffered-response.js';

// What it does as Node’s own response is tested with the adapter.
describe('BufferedResponse', () => {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Sends all `requests` at once on one connection, and returns everything that the server sent back. */
  async function responsesTo(
    requests: readonly string[],
    respond: (response: ServerResponse, path: string) => void,
  ): Promise<string> {
    const server = createServer(
      { ServerResponse: bufferedResponse(new ResponseQueue()) },
      (request, response) => {
        response.removeHeader('Date');
        respond(response, request.url!);
      },
    );
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(requests.map((path) => `GET ${path} HTTP/1.1\r\nHost: store.example\r\n\r\n`).join(''));
    socket.end();
    return text(socket);
  }

  function end(response: ServerResponse, body: string): void {
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  }

  it('sends the responses of one connection in the order of their requests', async () => {
    const sent = await responsesTo(['/waits', '/streams', '/waits'], (response, path) => {
      if (path === '/waits') return end(response, 'whole;');
      response.write('in ');
      response.end('pieces;');
    });

    const bodies = [...sent.matchAll(/whole;|in |pieces;/g)].map(([body]) => body);
    expect(bodies).toEqual(['whole;', 'in ', 'pieces;', 'whole;']);
  });

  it('refuses at once what cannot be sent', async () => {
    const sent = await responsesTo(['/'], (response) => {
      response.setHeader('Content-Length', 5);
      const encoding = 'none' as BufferEncoding;
      expect(() => response.end('whole', encoding)).toThrow('Unknown encoding: none');
      response.end('whole');
    });

    expect(sent).toMatch(/\r\n\r\nwhole$/);
  });

  it('sends text that was waiting when the response lost its socket once it has one again', async () => {
    const sent = await responsesTo(['/'], (response) => {
      end(response, 'whole');
      const socket = response.socket!;
      response.detachSocket(socket);
      process.nextTick(() => response.assignSocket(socket));
    });

    expect(sent).toMatch(/\r\n\r\nwhole$/);
  });
});
