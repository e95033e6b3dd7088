/** Fastify 5 with hooks and routes by hand, over the same parts as bare node:http. */
import Fastify, { type FastifyReply, type FastifyRequest, type RouteHandlerMethod } from 'fastify';
import type { Caller } from './by-hand/api-keys.js';
import * as operations from './by-hand/operations.js';
import type { Ready } from './by-hand/response.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: operations.Route;
  }
  interface FastifyRequest {
    received: operations.Reception;
  }
}

const app = Fastify({ bodyLimit: operations.MAX_BODY_BYTES, ...operations.timeouts });
app.decorateRequest('received');

app.addHook('onRequest', async (request, reply) => {
  request.received = await operations.receive(request.raw, routeOf(request));
  const { headers, caller } = request.received;
  setHeaders(reply, headers);
  if ('status' in caller) return send(reply, caller);
});
app.addHook('onResponse', (request, reply, done) => {
  routeOf(request).finished(request.received, reply.statusCode);
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

const handler: RouteHandlerMethod = async (request, reply) => {
  const { url, headers, params, received, body } = request;
  const [, query = ''] = url.split('?', 2);
  const { petId = '' } = params as { petId?: string };
  // The hook has responded to all other requests.
  const call = { caller: received.caller as Caller, headers, query, petId, body: (body ?? '') as string };
  return send(reply, await operations.responseTo(routeOf(request), call));
};
for (const route of [operations.LIST, operations.GET, operations.ADD, operations.ORDER])
  app.route({ method: route.method, url: route.url, config: { route }, handler });
app.setNotFoundHandler(handler);
await app.listen({ port: operations.port, host: '127.0.0.1' });

function routeOf({ routeOptions }: FastifyRequest): operations.Route {
  return routeOptions.config.route ?? operations.UNMATCHED;
}

function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    // Fastify would replace the links of a deprecated operation by the one of its error.
    const isMore = name === 'Link' && reply.hasHeader(name);
    reply.header(name, isMore ? `${String(reply.getHeader(name))}, ${value}` : value);
  }
}

function send(reply: FastifyReply, { status, headers, body }: Ready): FastifyReply {
  setHeaders(reply.code(status), headers);
  return reply.send(body);
}
