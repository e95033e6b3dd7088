import { createServer, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type RequestHandler, type Response } from 'express';
import { AnswerQueue } from './answer-queue.js';
import { gatheringResponse } from './gathering.response.js';
import { sendJson } from './json-reply.js';

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
    const isJson =
      typeof body === 'object' &&
      body !== null &&
      !(body instanceof StreamableFile) &&
      // What Nest's own filter sends.
      !(body instanceof Error || (statusCode ?? 0) >= 400);
    if (!isJson) return super.reply(response, body, statusCode);
    if (statusCode) response.status(statusCode);
    return sendJson(response, body);
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
