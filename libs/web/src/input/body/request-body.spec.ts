import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Request } from 'express';
import { factsOf } from '../../request-facts.js';
import { readBody } from './request-body.js';

const HEAD = 'POST / HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';

describe('The wait for a body', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(() => server.close());

  /** The request whose head is the first text, and the body what follows when that has arrived. */
  async function read(first: string, later?: string): Promise<Request> {
    const arrived = once(server, 'request');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).write(first);
    const [request] = (await arrived) as [IncomingMessage];
    const reading = readBody(request as Request, 'json', 100);
    if (later === undefined) socket.end();
    else socket.write(later);
    await reading?.catch(() => undefined);
    socket.destroy();
    return request as Request;
  }

  it('is known when the body comes after the head, complete or not', async () => {
    const complete = await read(HEAD, '{"id": 1}');
    expect(complete.body).toEqual({ id: 1 });
    expect(factsOf(complete).bodyWaitMs).toBeGreaterThan(0);
    expect(factsOf(await read(`${HEAD}{"id`)).bodyWaitMs).toBeGreaterThan(0);
  });

  it('is none when it comes with the head', async () => {
    const request = await read(`${HEAD}{"id": 1}`, '');
    expect(request.body).toEqual({ id: 1 });
    expect(factsOf(request).bodyWaitMs).toBeUndefined();
  });
});
