/** Bare node:http, by hand: the measure of everything else. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as operations from './by-hand/operations.js';
import type { Ready } from './by-hand/response.js';

const { LIST, GET, ADD, ORDER, UNMATCHED } = operations;
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-?8"?)?$/i;
const ROUTES = new Map([LIST, ADD, ORDER].map((route) => [`${route.method} ${route.url}`, route]));
const PET = '/v1/pets/';

createServer(operations.timeouts, (request, response) => void handle(request, response)).listen(
  operations.port,
  '127.0.0.1',
);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path, query = ''] = request.url!.split('?', 2) as [string, string?];
  const isPet = request.method === 'GET' && path.startsWith(PET);
  const route = isPet ? GET : (ROUTES.get(`${request.method} ${path}`) ?? UNMATCHED);
  const received = await operations.receive(request, route);
  const { headers, caller } = received;
  response.on('close', () => route.finished(received, response.statusCode));
  if ('status' in caller) return send(response, headers, caller);
  const body = route.method === 'POST' ? await bodyOf(request) : '';
  if (typeof body !== 'string') return send(response, headers, body);
  const call = { caller, headers: request.headers, query, petId: path.slice(PET.length), body };
  send(response, headers, await operations.responseTo(route, call));
}

/** Most bodies come in one piece. */
function bodyOf(request: IncomingMessage): string | Ready | Promise<string | Ready> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return operations.NOT_JSON;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= operations.MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on('end', () => {
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      resolve(length > operations.MAX_BODY_BYTES ? operations.TOO_LARGE : whole.toString());
    });
    request.on('error', reject);
  });
}

/** One head, one body, one write. */
function send(response: ServerResponse, headers: string[], ready: Ready): void {
  for (let i = 0; i < ready.headers.length; i++) headers.push(ready.headers[i]!);
  response.writeHead(ready.status, headers);
  response.end(ready.body, ready.encoding);
}
