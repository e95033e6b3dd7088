import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { Server as SecureServer } from 'node:tls';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import { RequestQueue } from './request-queue.js';
import { ResponseQueue } from './response-queue.js';
import { bufferedResponse } from './buffered-response.js';

export interface FastExpressOptions {
  /** An existing Express application. Default: a new one. */
  instance?: Express;
  /** Options for Node's `createServer`, unless Nest is given `httpsOptions`. */
  server?: ServerOptions;
  /** Serves the requests of one turn of the event loop together, and sends their responses together (README). Off by default. */
  queues?: boolean;
}

// Nest's own types of them are not in an early Nest 11.
type RequestHook = (request: Request, response: Response, done: () => void) => Promise<void> | void;
type ResponseHook = (request: Request, response: Response) => Promise<void> | void;

/**
 * Nest's ExpressAdapter at a fraction of its cost.
 *
 * - Express sets the prototype of every request and response with `Object.setPrototypeOf`. Here they are created with
 *   that prototype, so the call changes nothing.
 * - Headers are collected and written in one piece.
 * - Nest's middleware that calls request and response hooks is in the router only when there is a hook.
 *
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule, new FastExpressAdapter());
 * ```
 */
export class FastExpressAdapter extends ExpressAdapter {
  private readonly fast: FastExpressOptions;
  private readonly hookPlace: number;
  /** Nest's middleware for hooks, until there is a hook. */
  private hookLayer: Express['router']['stack'][number] | null;

  constructor(options: FastExpressOptions = {}) {
    const hookPlace = options.instance?.router.stack.length ?? 0;
    super(options.instance);
    this.fast = options;
    this.hookPlace = hookPlace;
    // Nest's constructor has just added it, unless it is an early Nest 11, which has no hooks.
    const { stack } = this.getInstance<Express>().router;
    this.hookLayer = stack.length > hookPlace ? stack.pop()! : null;
  }

  override setOnRequestHook(hook: RequestHook): void {
    this.callHooks();
    super.setOnRequestHook(hook);
  }

  override setOnResponseHook(hook: ResponseHook): void {
    this.callHooks();
    super.setOnResponseHook(hook);
  }

  override initHttpServer(options: NestApplicationOptions = {}): void {
    const app = this.getInstance<Express>();
    const responses = this.fast.queues ? new ResponseQueue() : null;
    const classes = {
      IncomingMessage: withPrototypeOf(app, 'request', class extends IncomingMessage {}),
      ServerResponse: withPrototypeOf(app, 'response', bufferedResponse(responses, app.response)),
    };
    const httpsOptions = options.httpsOptions && { ...options.httpsOptions, ...classes };
    super.initHttpServer({ ...options, httpsOptions });
    if (!httpsOptions) {
      this.httpServer = takingOver(this.httpServer, createServer({ ...this.fast.server, ...classes }));
    }
    if (responses) serveTogether(this.httpServer, responses);
  }

  private callHooks(): void {
    if (this.hookLayer === null) return;
    this.getInstance<Express>().router.stack.splice(this.hookPlace, 0, this.hookLayer);
    this.hookLayer = null;
  }
}

/**
 * Makes Express's prototype the prototype of the class that Node creates the objects from. The properties of the
 * application itself, such as `app`, are copied to the class: an application that mounts this one sets its own
 * prototype behind the class.
 */
function withPrototypeOf<Type extends { prototype: object }>(
  app: Express,
  name: 'request' | 'response',
  type: Type,
): Type {
  const { prototype } = type;
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(app[name]))) {
    if (!Object.hasOwn(prototype, key)) Object.defineProperty(prototype, key, property);
  }
  Object.setPrototypeOf(prototype, app[name]);
  app[name] = prototype as never;
  return type;
}

/** Lets the requests of a turn wait for each other, whose responses wait in a queue of their own. */
function serveTogether(server: Server, responses: ResponseQueue): void {
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const requests = new RequestQueue<ServerResponse>((response) => {
    for (const handle of handlers) handle.call(server, response.req, response);
  });
  server.on('request', (_request, response) => requests.add(response));
  const closeIdleConnections = server.closeIdleConnections.bind(server);
  // Node takes a waiting response for one that has been sent.
  server.closeIdleConnections = () => {
    responses.flush();
    closeIdleConnections();
  };
  // Node's types do not have the property.
  const halves = server as Server & { httpAllowHalfOpen: boolean };
  let wasAllowed = false;
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    // Node closes its half of a connection when the client has closed the other one. A request that waits until then
    // keeps it open for its response.
    socket.prependListener('end', () => {
      wasAllowed = halves.httpAllowHalfOpen;
      if (requests.some(({ req }) => req.socket === socket))
        socket.allowHalfOpen = halves.httpAllowHalfOpen = true;
      requests.flush();
      responses.flush();
    });
    // Behind Node's own listener.
    socket.on('end', () => (halves.httpAllowHalfOpen = wasAllowed));
  });
}

/** Nest creates its server without a way to set the classes. This server replaces it and takes over its listeners. */
function takingOver(nests: Server, ours: Server): Server {
  for (const event of nests.eventNames()) {
    ours.removeAllListeners(event);
    for (const listener of nests.rawListeners(event)) ours.on(event as string, listener as () => void);
  }
  return ours;
}
