/** Bare node:http, by hand: the measure of everything else. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, failure } from './by-hand/answer.js';
import type { Caller } from './by-hand/api-keys.js';
import { requestFinished } from './by-hand/observation.js';
import {
  createPet,
  DEPRECATION,
  getPet,
  listPets,
  placeOrder,
  ROUTE_NOT_FOUND,
} from './by-hand/operations.js';
import { MAX_BODY_BYTES, port, receive, serverLimits } from './by-hand/reception.js';

const PETS = '/v1/pets';
const PET = '/v1/pets/';
const ORDERS = '/v1/store/orders';

type WithBody = (caller: Caller, headers: IncomingMessage['headers'], body: string) => Promise<Answer>;

const server = createServer(serverLimits, (request, response) => {
  const startedAtMs = performance.now();
  const { requestId, keyId, headers, caller } = receive(request);
  const url = request.url!;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  const route =
    path === PETS || path === ORDERS ? path : path.startsWith(PET) ? '/v1/pets/:petId' : 'unmatched';
  response.on('close', () =>
    requestFinished(requestId, keyId, request.method!, route, response.statusCode, startedAtMs),
  );

  if (route === '/v1/pets/:petId') headers.push(...DEPRECATION);
  if ('status' in caller) return send(response, headers, caller);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === PETS && isRead) {
    send(response, headers, listPets(queryAt === -1 ? '' : url.slice(queryAt + 1), request.headers));
  } else if (route === '/v1/pets/:petId' && isRead) {
    send(response, headers, getPet(path.slice(PET.length), request.headers));
  } else if (path === PETS && request.method === 'POST') {
    withBody(request, response, headers, caller, createPet);
  } else if (path === ORDERS && request.method === 'POST') {
    withBody(request, response, headers, caller, placeOrder);
  } else {
    send(response, headers, ROUTE_NOT_FOUND);
  }
});
server.maxConnections = 10_000;
server.listen(port, '127.0.0.1');

/** The body in one piece is the rule; the error path is for everything else. */
function withBody(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  caller: Caller,
  operation: WithBody,
): void {
  if (!isJson(request.headers['content-type'])) {
    return send(
      response,
      headers,
      failure(415, 'unsupported_media_type', 'Content-Type must be application/json, in UTF-8.'),
    );
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    if (length > MAX_BODY_BYTES) {
      const message = `The body must not exceed ${MAX_BODY_BYTES} bytes.`;
      return send(response, headers, failure(413, 'payload_too_large', message));
    }
    const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
    operation(caller, request.headers, body).then(
      (answer) => send(response, headers, answer),
      () =>
        send(response, headers, failure(500, 'internal_error', 'Something went wrong inside the service.')),
    );
  });
}

function isJson(contentType: string | undefined): boolean {
  return (
    contentType === 'application/json' ||
    /^application\/json\s*(;\s*charset="?utf-?8"?)?$/i.test(contentType ?? '')
  );
}

/** One head, one body, one write. */
function send(
  response: ServerResponse,
  headers: string[],
  { status, headers: own, body, encoding }: Answer,
): void {
  for (let i = 0; i < own.length; i++) headers.push(own[i]!);
  response.writeHead(status, headers);
  response.end(body, encoding);
}
