/** Fastify 5 with hooks and routes by hand, over the same parts as node-http.ts. */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
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

declare module 'fastify' {
  interface FastifyRequest {
    requestId: string;
    keyId: string | null;
    caller: Caller | null;
    startedAtMs: number;
  }
}

const app = Fastify({
  bodyLimit: MAX_BODY_BYTES,
  keepAliveTimeout: serverLimits.keepAliveTimeout,
  requestTimeout: serverLimits.requestTimeout,
  http: serverLimits,
});
app.server.maxConnections = 10_000;
app.decorateRequest('requestId', '');
app.decorateRequest('keyId', null);
app.decorateRequest('caller', null);
app.decorateRequest('startedAtMs', 0);

app.addHook('onRequest', (request, reply, done) => {
  request.startedAtMs = performance.now();
  const { requestId, keyId, headers, caller } = receive(request.raw);
  request.requestId = requestId;
  request.keyId = keyId;
  setHeaders(reply, headers);
  if (request.routeOptions.url === '/v1/pets/:petId') setHeaders(reply, DEPRECATION);
  if ('status' in caller) {
    send(reply, caller);
  } else {
    request.caller = caller;
    done();
  }
});
app.addHook('onResponse', (request, reply, done) => {
  const { requestId, keyId, method, routeOptions, startedAtMs } = request;
  requestFinished(requestId, keyId, method, routeOptions.url ?? 'unmatched', reply.statusCode, startedAtMs);
  done();
});

app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
  if (error.statusCode === 413) {
    return send(
      reply,
      failure(413, 'payload_too_large', `The body must not exceed ${MAX_BODY_BYTES} bytes.`),
    );
  }
  if (error.statusCode === 415) {
    return send(
      reply,
      failure(415, 'unsupported_media_type', 'Content-Type must be application/json, in UTF-8.'),
    );
  }
  return send(reply, failure(500, 'internal_error', 'Something went wrong inside the service.'));
});
app.setNotFoundHandler((_request, reply) => send(reply, ROUTE_NOT_FOUND));

app.get('/v1/pets', (request, reply) => {
  const { url } = request.raw;
  const queryAt = url!.indexOf('?');
  return send(reply, listPets(queryAt === -1 ? '' : url!.slice(queryAt + 1), request.headers));
});
app.get('/v1/pets/:petId', (request: FastifyRequest<{ Params: { petId: string } }>, reply) =>
  send(reply, getPet(request.params.petId, request.headers)),
);
app.post('/v1/pets', async (request, reply) =>
  send(reply, await createPet(request.caller!, request.headers, request.body as string)),
);
app.post('/v1/store/orders', async (request, reply) =>
  send(reply, await placeOrder(request.caller!, request.headers, request.body as string)),
);

await app.listen({ port, host: '127.0.0.1' });

function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status);
  setHeaders(reply, headers);
  return status === 304 ? reply.send() : reply.send(body);
}
