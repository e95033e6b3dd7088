/** Fastify 5 with hooks and routes by hand, over the same parts as node-http.ts. */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { requestFinished } from './by-hand/observation.js';
import * as operations from './by-hand/operations.js';
import type { Ready } from './by-hand/response.js';

declare module 'fastify' {
  interface FastifyRequest {
    received: operations.Reception;
    startedAtMs: number;
  }
}

const { keepAliveTimeout, requestTimeout } = operations.serverLimits;
const bodyLimit = operations.MAX_BODY_BYTES;
const app = Fastify({ bodyLimit, keepAliveTimeout, requestTimeout, http: operations.serverLimits });
app.server.maxConnections = operations.MAX_CONNECTIONS;
app.decorateRequest('received');
app.decorateRequest('startedAtMs', 0);

app.addHook('onRequest', (request, reply, done) => {
  request.startedAtMs = performance.now();
  request.received = operations.receive(request.raw);
  const { headers, caller } = request.received;
  setHeaders(reply, headers);
  if (request.routeOptions.url === '/v1/pets/:petId') setHeaders(reply, operations.DEPRECATION);
  if ('status' in caller) send(reply, caller);
  else done();
});
app.addHook('onResponse', (request, reply, done) => {
  const { received, method, routeOptions, startedAtMs } = request;
  const route = routeOptions.url ?? 'unmatched';
  requestFinished(received.requestId, received.keyId, method, route, reply.statusCode, startedAtMs);
  done();
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
app.setErrorHandler<Error & { statusCode?: number }>(({ statusCode }, _request, reply) => {
  if (statusCode === 413) return send(reply, operations.TOO_LARGE);
  return send(reply, statusCode === 415 ? operations.NOT_JSON : operations.BROKEN);
});
app.setNotFoundHandler((_request, reply) => send(reply, operations.ROUTE_NOT_FOUND));

app.get('/v1/pets', (request, reply) => send(reply, operations.listPets(request.url, request.headers)));
app.get('/v1/pets/:petId', (request: FastifyRequest<{ Params: { petId: string } }>, reply) =>
  send(reply, operations.getPet(request.params.petId, request.headers)),
);
app.post<{ Body: string }>('/v1/pets', (request, reply) => write(operations.createPet, request, reply));
app.post<{ Body: string }>('/v1/store/orders', (request, reply) =>
  write(operations.placeOrder, request, reply),
);

await app.listen({ port: operations.port, host: '127.0.0.1' });

type WithBody = FastifyRequest<{ Body: string }>;

async function write(operation: operations.Write, request: WithBody, reply: FastifyReply) {
  const { caller } = request.received;
  // The hook has sent the response of everybody else.
  if ('status' in caller) return reply;
  return send(reply, await operation(caller, request.body));
}

function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
}

function send(reply: FastifyReply, { status, headers, body }: Ready): FastifyReply {
  reply.code(status);
  setHeaders(reply, headers);
  return status === 304 ? reply.send() : reply.send(body);
}
