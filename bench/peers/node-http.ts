/** Bare node:http, by hand: the measure of everything else. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Caller } from './by-hand/api-keys.js';
import { requestFinished } from './by-hand/observation.js';
import * as operations from './by-hand/operations.js';
import type { Ready } from './by-hand/response.js';

const PETS = '/v1/pets';
const PET = '/v1/pets/';
const ORDERS = '/v1/store/orders';
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-?8"?)?$/i;

const server = createServer(operations.serverLimits, (request, response) => {
  const startedAtMs = performance.now();
  const { requestId, keyId, headers, caller } = operations.receive(request);
  const url = request.url!;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  const route =
    path === PETS || path === ORDERS ? path : path.startsWith(PET) ? '/v1/pets/:petId' : 'unmatched';
  response.on('close', () =>
    requestFinished(requestId, keyId, request.method!, route, response.statusCode, startedAtMs),
  );

  if (route === '/v1/pets/:petId') headers.push(...operations.DEPRECATION);
  if ('status' in caller) return send(response, headers, caller);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === PETS && isRead) {
    send(response, headers, operations.listPets(url, request.headers));
  } else if (route === '/v1/pets/:petId' && isRead) {
    send(response, headers, operations.getPet(path.slice(PET.length), request.headers));
  } else if (path === PETS && request.method === 'POST') {
    withBody(request, response, headers, caller, operations.createPet);
  } else if (path === ORDERS && request.method === 'POST') {
    withBody(request, response, headers, caller, operations.placeOrder);
  } else {
    send(response, headers, operations.ROUTE_NOT_FOUND);
  }
});
server.maxConnections = operations.MAX_CONNECTIONS;
server.listen(operations.port, '127.0.0.1');

/** Most bodies come in one piece. */
function withBody(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  caller: Caller,
  operation: operations.Write,
): void {
  const type = request.headers['content-type'];
  if (type !== 'application/json' && !JSON_TYPE.test(type ?? ''))
    return send(response, headers, operations.NOT_JSON);
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= operations.MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    if (length > operations.MAX_BODY_BYTES) return send(response, headers, operations.TOO_LARGE);
    const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
    operation(caller, body).then(
      (ready) => send(response, headers, ready),
      () => send(response, headers, operations.BROKEN),
    );
  });
}

/** One head, one body, one write. */
function send(response: ServerResponse, headers: string[], ready: Ready): void {
  for (let i = 0; i < ready.headers.length; i++) headers.push(ready.headers[i]!);
  response.writeHead(ready.status, headers);
  response.end(ready.body, ready.encoding);
}
