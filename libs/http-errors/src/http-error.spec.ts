import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import request from 'supertest';
import { httpErrorOf, sendError } from './index.js';

describe('sendError', () => {
  let server: Server;
  let respond: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => server.close());

  it('sends the Error object and preserves the headers that are set', async () => {
    respond = (response) => {
      response.setHeader('X-Harbour', 'north');
      sendError(response, { status: 409, code: 'berth_taken', message: 'Berth "3" is taken.' });
    };
    const { headers, text } = await request(server).get('/').expect(409);

    expect(text).toBe('{"code":"berth_taken","message":"Berth \\"3\\" is taken.","status":409}');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-length']).toBe('69');
    expect(headers['x-harbour']).toBe('north');
  });

  it('forbids caching, whatever headers were set before the failure', async () => {
    respond = (response) => {
      response.setHeader('Cache-Control', 'public, max-age=60');
      sendError(response, httpErrorOf(404));
    };

    await request(server).get('/').expect(404).expect('Cache-Control', 'no-store');
  });

  it('responds to HEAD with the length and without the body', async () => {
    respond = (response) => sendError(response, httpErrorOf(404));
    const { headers, text } = await request(server).head('/').expect(404);

    expect(text).toBeFalsy();
    expect(headers['content-length']).toBe('74');
  });
});
