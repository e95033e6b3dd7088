import { createServer, IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { ResponseQueue } from './response-queue.js';
import { bufferedResponse } from './buffered-response.js';

export interface FastExpressOptions {
  /** An Express application that is there already; without it a new one is made. */
  instance?: Express;
  /** For Node's `createServer`, unless Nest is told of HTTPS. */
  server?: ServerOptions;
  /** Lets the whole-text responses of one turn of the event loop leave together (README). Off by default. */
  responseQueue?: boolean;
}

/**
 * Nest's ExpressAdapter at a fraction of its cost.
 *
 * - Express gives every request and response its own prototypes with `Object.setPrototypeOf`. Here they are born with
 *   those prototypes, so that the call changes nothing.
 * - Headers are gathered and written in one piece.
 * - Nest's middleware that calls the hooks for requests and responses is in the router only once there is a hook.
 *
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule, new FastExpressAdapter());
 * ```
 */
export class FastExpressAdapter extends ExpressAdapter {
  private readonly fast: FastExpressOptions;
  private readonly hookPlace: number;
  /** What calls the hooks, until there is one. */
  private hookLayer: Express['router']['stack'][number] | null;

  constructor(options: FastExpressOptions = {}) {
    super(options.instance ?? express());
    this.fast = options;
    // Nest's constructor has just put it there, behind what an application of the caller's has already.
    const { stack } = this.getInstance<Express>().router;
    this.hookLayer = stack.pop()!;
    this.hookPlace = stack.length;
  }

  override setOnRequestHook(hook: Parameters<ExpressAdapter['setOnRequestHook']>[0]): void {
    this.callHooks();
    super.setOnRequestHook(hook);
  }

  override setOnResponseHook(hook: Parameters<ExpressAdapter['setOnResponseHook']>[0]): void {
    this.callHooks();
    super.setOnResponseHook(hook);
  }

  override initHttpServer(options: NestApplicationOptions = {}): void {
    const app = this.getInstance<Express>();
    const queue = this.fast.responseQueue ? new ResponseQueue() : null;
    const classes = {
      IncomingMessage: withPrototypeOf(app, 'request', class extends IncomingMessage {}),
      ServerResponse: withPrototypeOf(app, 'response', bufferedResponse(queue)),
    };
    const httpsOptions = options.httpsOptions && { ...options.httpsOptions, ...classes };
    super.initHttpServer({ ...options, httpsOptions });
    if (!httpsOptions) {
      this.httpServer = takingOver(this.httpServer, createServer({ ...this.fast.server, ...classes }));
    }
    // Before Node closes its side, as it does when a client has closed its own.
    if (queue)
      this.httpServer.on('connection', (socket: Socket) => socket.prependListener('end', queue.flush));
  }

  private callHooks(): void {
    if (this.hookLayer === null) return;
    this.getInstance<Express>().router.stack.splice(this.hookPlace, 0, this.hookLayer);
    this.hookLayer = null;
  }
}

/**
 * Puts what Express added to its prototype behind the class that Node makes the objects from. What is the application's
 * own, `app` for one, is in both: another application that mounts this one puts its own prototype behind the class.
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

/** Nest makes its server without a way to say of what classes: another takes its place, with all that Nest put on it. */
function takingOver(nests: Server, ours: Server): Server {
  for (const event of nests.eventNames()) {
    ours.removeAllListeners(event);
    for (const listener of nests.rawListeners(event)) ours.on(event as string, listener as () => void);
  }
  return ours;
}
