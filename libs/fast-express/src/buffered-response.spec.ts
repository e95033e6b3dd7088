import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ResponseQueue } from './response-queue.js';
import { bufferedResponse } from './buffered-response.js';

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

  it('looks ended to all code before its text is sent', async () => {
    const seen: unknown[] = [];
    const sent = await responsesTo(['/'], (response) => {
      end(response, 'Łucja');
      seen.push(response.headersSent, response.writableEnded, response.writableFinished);
      expect(() => response.setHeader('X-Late', '1')).toThrow('after they are sent');
      response.end('again');
      response.on('error', ({ message }) => seen.push(message));
    });

    expect(sent).toMatch(/\r\nContent-Length: 6\r\n[^]*\r\n\r\nŁucja$/);
    expect(seen).toEqual([true, true, false, 'write after end']);
  });

  it('emits prefinish once, before `end` returns, as Node does', async () => {
    const seen: string[] = [];
    await responsesTo(['/'], (response) => {
      for (const name of ['prefinish', 'finish']) response.on(name, () => seen.push(name));
      end(response, 'text');
      seen.push('end returned');
    });

    expect(seen).toEqual(['prefinish', 'end returned', 'finish']);
  });

  it('is neither sent nor finished when its connection has closed', async () => {
    const seen: unknown[] = [];
    const sent = await responsesTo(['/'], (response) => {
      response.on('finish', () => seen.push('finish'));
      response.on('close', () => seen.push('close', response.writableEnded, response.writableFinished));
      response.socket!.destroy();
      end(response, 'text');
    });
    await new Promise(setImmediate);

    expect(sent).toBe('');
    expect(seen).toEqual(['close', true, false]);
  });

  it('treats header names that differ only in case as one header', async () => {
    const sent = await responsesTo(['/'], (response) => {
      for (const name of ['X^', 'X~', 'x^', 'X-A', 'X-B']) response.setHeader(name, name);
      end(response, 'text');
    });

    expect(sent.match(/^x.*/gim)).toEqual(['x^: x^', 'X~: X~', 'X-A: X-A', 'X-B: X-B']);
  });

  it('writes the headers of each response, whatever the responses before it had', async () => {
    const paths = ['/1', '/1', '/1', '/2', '/1'];
    const sent = await responsesTo(paths, (response, path) => {
      response.setHeader('X-Path', path);
      response.setHeader('X-List', [path, 'a']);
      response.setHeader('X-Number', Number(path.slice(1)));
      end(response, 'text');
    });

    expect(sent.match(/^x-.*/gim)).toEqual(
      paths.flatMap((path) => [`X-Path: ${path}`, `X-List: ${path}`, 'X-List: a', `X-Number: ${path[1]}`]),
    );
  });

  it('sends the responses of one connection in the order of their requests', async () => {
    const sent = await responsesTo(['/waits', '/streams', '/waits'], (response, path) => {
      if (path === '/waits') return end(response, 'whole;');
      response.write('in ');
      response.end('pieces;');
    });

    const bodies = [...sent.matchAll(/whole;|in |pieces;/g)].map(([body]) => body);
    expect(bodies).toEqual(['whole;', 'in ', 'pieces;', 'whole;']);
  });

  it('refuses at once what cannot be sent, and sends waiting text before it is destroyed', async () => {
    const sent = await responsesTo(['/'], (response) => {
      response.setHeader('Content-Length', 5);
      const encoding = 'none' as BufferEncoding;
      expect(() => response.end('whole', encoding)).toThrow('Unknown encoding: none');
      response.end('whole');
      response.destroy();
    });

    expect(sent).toMatch(/\r\n\r\nwhole$/);
  });

  it('emits close once when the client disconnects in between', async () => {
    const events: string[] = [];
    await responsesTo(['/'], (response) => {
      for (const name of ['finish', 'close']) response.on(name, () => events.push(name));
      end(response, 'text');
      response.socket!.destroy();
    });
    await new Promise(setImmediate);

    expect(events.filter((name) => name === 'close')).toEqual(['close']);
  });

  it('treats spellings of a name as one header, however many names an application uses', async () => {
    const sent = await responsesTo(['/many-names', '/'], (response, path) => {
      if (path === '/many-names')
        for (let number = 0; number < 1_000; number++) response.setHeader(`X-${number}`, '1');
      // The first name of this suite, in a new spelling.
      else response.setHeader('content-LENGTH', '9');
      end(response, '');
    });

    expect(sent.match(/^content-length.*/gim)).toEqual(['Content-Length: 0', 'Content-Length: 0']);
  });
});
