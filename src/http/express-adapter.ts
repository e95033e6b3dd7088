import { createServer, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { AnswerQueue } from './answer-queue.js';
import { gatheringResponse } from './gathering.response.js';
import { toJson } from './json.js';
import { Reply } from './reply.js';

/** How often connections are held against the time-outs; Node's own default of 30 s would make 10 s mean 40. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * Express as this service uses it: the platform of Nest, with three costs taken out and one rule put in.
 *
 * - Express gives every request and response its own prototypes with `Object.setPrototypeOf`, which makes V8 forget
 *   all it knows about their shape. Here they carry those prototypes from birth, so the call changes nothing.
 * - Answers are JSON text written in one piece with their headers, not passed through content negotiation.
 * - Nest's middleware that calls the hooks for requests and responses is a step in the router for every request. Here it
 *   is put in, before everything else, when the first hook is set.
 * - A bigint in an answer is an exact JSON number.
 */
export class JsonExpressAdapter extends ExpressAdapter {
  /** What Nest would have put into the router at once. */
  private readonly hookCallers: RequestHandler[];

  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Nest's constructor puts its middleware into the router, which has no way to take it out again.
    const hookCallers: RequestHandler[] = [];
    const use = Object.getOwnPropertyDescriptor(app, 'use')!;
    app.use = ((caller: RequestHandler) => hookCallers.push(caller)) as unknown as Express['use'];
    super(app);
    Object.defineProperty(app, 'use', use);
    this.hookCallers = hookCallers;
  }

  override setOnRequestHook(hook: Parameters<ExpressAdapter['setOnRequestHook']>[0]): void {
    this.useHooks();
    super.setOnRequestHook(hook);
  }

  override setOnResponseHook(hook: Parameters<ExpressAdapter['setOnResponseHook']>[0]): void {
    this.useHooks();
    super.setOnResponseHook(hook);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class ServiceRequest extends IncomingMessage {}
    const answers = new AnswerQueue();
    const ServiceResponse = gatheringResponse(answers);
    app.request = withPrototypeOf(ServiceRequest, app.request);
    app.response = withPrototypeOf(ServiceResponse, app.response);
    const options = {
      IncomingMessage: ServiceRequest,
      ServerResponse: ServiceResponse,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    };
    this.httpServer = createServer(options, app);
    // Before Node closes its side, as it does when a client has closed its own.
    this.httpServer.on('connection', (socket: Socket) => socket.prependListener('end', answers.letGo));
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode) response.statusCode = statusCode;
    if (body instanceof Reply) return send(response, body);
    if (body === undefined || body === null) return response.end();
    if (body instanceof StreamableFile) return super.reply(response, body);
    return send(response, new Reply(toJson(body)));
  }

  private useHooks(): void {
    const app = this.getInstance<Express>();
    for (const caller of this.hookCallers.splice(0)) {
      app.use(caller);
      app.router.stack.unshift(app.router.stack.pop()!);
    }
  }
}

/** Puts what Express added to its prototype behind the class that Node makes the objects from. */
function withPrototypeOf<T extends object>(type: { prototype: object }, prototype: T): T {
  Object.setPrototypeOf(type.prototype, prototype);
  return type.prototype as T;
}

function send(response: Response, reply: Reply): unknown {
  const { req: request } = response;
  const readsOnly = request.method === 'GET' || request.method === 'HEAD';
  for (const name in reply.headers) response.appendHeader(name, reply.headers[name]!);
  if (readsOnly && response.statusCode === 200) {
    response.setHeader('ETag', reply.entityTag);
    if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
    response.appendHeader('Vary', 'Authorization');
    if (namesTag(request, reply.entityTag)) {
      response.statusCode = 304;
      return response.end();
    }
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', reply.bytes.length);
  // RFC 9110, section 9.3.2: HEAD is answered with the headers of GET, without its body.
  return request.method === 'HEAD' ? response.end() : response.end(reply.bytes, 'latin1');
}

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2). */
function namesTag(request: Request, entityTag: string): boolean {
  const condition = request.headers['if-none-match'];
  if (condition === undefined) return false;
  return (
    condition.trim() === '*' ||
    condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag)
  );
}
