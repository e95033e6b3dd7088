/**
 * The service itself on Nest's FastifyAdapter. Its guards, filter and bodies are written for Node's own request and
 * response, so Fastify routes and then hands these over: its reply, its hooks for answers and its serialiser are not
 * used, which is in its favour.
 */
import { createServer, IncomingMessage, type RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { AnswerQueue, gatheringResponse } from '#libs/fast-express';
import { JsonExpressAdapter } from '../../src/http/express-adapter.js';
import { parseQuery } from '../../src/http/query-parser.js';

type RawHandler = (request: IncomingMessage, response: FastifyReply['raw']) => unknown;

interface Adapter {
  injectRouteOptions(methods: unknown, path: string, handler: unknown): unknown;
}

// By a name that the compiler does not follow: the package may be missing, and this peer with it.
const packageName: string = '@nestjs/platform-fastify';
const { FastifyAdapter } = (await import(packageName)) as {
  FastifyAdapter: new (instance: unknown) => Adapter;
};

const settings = new Map<string, unknown>();
class ServiceRequest extends IncomingMessage {
  readonly app = settings;

  /** As Express has it. */
  get query(): unknown {
    const { url = '' } = this;
    const start = url.indexOf('?');
    return parseQuery(start === -1 ? null : url.slice(start + 1));
  }
}

const instance = fastify({
  serverFactory: (handler: RequestListener) =>
    createServer(
      { IncomingMessage: ServiceRequest, ServerResponse: gatheringResponse(new AnswerQueue()) },
      handler,
    ),
});
// What Express is asked by code that knows which platform it runs on.
instance.decorate('enabled', () => false);
instance.decorate('request', ServiceRequest.prototype as never);
// The explorer speaks Express. Nobody asks for it here.
const unrouted = { get: () => unrouted, all: () => unrouted };
const route = instance.route.bind(instance) as (options: unknown) => unknown;
Object.assign(instance, {
  route: (options: unknown) => (typeof options === 'string' ? unrouted : route(options)),
});
// Bodies are read by the handlers that want one.
instance.removeAllContentTypeParsers();
instance.addContentTypeParser('*', (_request, _payload, done) => done(null));

class RawFastifyAdapter extends FastifyAdapter {
  readonly reply = JsonExpressAdapter.prototype.reply;

  set(name: string, value: unknown): void {
    settings.set(name, value);
  }

  override injectRouteOptions(methods: unknown, path: string, handler: RawHandler): unknown {
    const route = { path };
    const handOver = (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const { params, raw } = request;
      return handler(Object.assign(raw, { params, route, res: reply.raw }), reply.raw);
    };
    // Fastify spells "anything" otherwise.
    return super.injectRouteOptions(methods, path.replace('{*path}', '*'), Object.assign(handOver, handler));
  }
}

const { create } = NestFactory;
NestFactory.create = ((module: unknown, _adapter: unknown, options: object) =>
  Reflect.apply(create, NestFactory, [module, new RawFastifyAdapter(instance), options])) as typeof create;
await import('../../src/main.js');
