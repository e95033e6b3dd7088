import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';

export interface FastExpressOptions {
  /** An existing Express application. Default: a new one. */
  instance?: Express;
  /**
   * Options for Node's `createServer`, unless Nest is given `httpsOptions`. A class for responses must belong to this
   * adapter alone: Express's methods are set by it.
   */
  server?: ServerOptions;
}

// Nest's own types of them are not in an early Nest 11.
type RequestHook = (request: Request, response: Response, done: () => void) => Promise<void> | void;
type ResponseHook = (request: Request, response: Response) => Promise<void> | void;

/**
 * Nest's ExpressAdapter at a lower cost.
 *
 * - Express sets the prototype of every request and response with `Object.setPrototypeOf`. Here they are created with
 *   that prototype, so the call changes nothing.
 * - Nest's middleware that calls request and response hooks is in the router only when there is a hook.
 */
export class FastExpressAdapter extends ExpressAdapter {
  private readonly fast: FastExpressOptions;
  private readonly hookIndex: number;
  /** Nest's middleware for hooks, until there is a hook. */
  private hookLayer: Express['router']['stack'][number] | null;
  /** One pair for all servers of this adapter: Nest starts one for each application that is created with it. */
  private classes: Pick<Required<ServerOptions>, 'IncomingMessage' | 'ServerResponse'> | undefined;

  constructor(options: FastExpressOptions = {}) {
    const hookIndex = options.instance?.router.stack.length ?? 0;
    super(options.instance);
    this.fast = options;
    this.hookIndex = hookIndex;
    // Nest's constructor has just added it, unless it is an early Nest 11, which has no hooks.
    const { stack } = this.getInstance<Express>().router;
    this.hookLayer = stack.length > hookIndex ? stack.pop()! : null;
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
    const classes = (this.classes ??= this.makeClasses());
    const httpsOptions = options.httpsOptions && { ...options.httpsOptions, ...classes };
    super.initHttpServer({ ...options, httpsOptions });
    if (!httpsOptions) {
      this.httpServer = takingOver(this.httpServer, createServer({ ...this.fast.server, ...classes }));
    }
  }

  private makeClasses(): NonNullable<typeof this.classes> {
    const app = this.getInstance<Express>();
    const request = withPrototypeOf(app, 'request', class extends IncomingMessage {});
    allowAssignment(request.prototype);
    const response = withPrototypeOf(
      app,
      'response',
      this.fast.server?.ServerResponse ?? class<From extends IncomingMessage> extends ServerResponse<From> {},
    );
    return { IncomingMessage: request, ServerResponse: response };
  }

  private callHooks(): void {
    if (this.hookLayer === null) return;
    this.getInstance<Express>().router.stack.splice(this.hookIndex, 0, this.hookLayer);
    this.hookLayer = null;
  }
}

/**
 * Makes Express's prototype the prototype of the class that Node creates the objects from. The properties of the
 * application itself, such as `app`, are copied to the class: an application that mounts this one sets its own
 * prototype of the class.
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

/**
 * Lets `query` and the other getters of Express be assigned. A listener for WebSockets may assign them before Express
 * sees the request. Node's own requests have no such getters. The exception would end the process.
 */
function allowAssignment(prototype: IncomingMessage): void {
  let from = prototype;
  while ((from = Object.getPrototypeOf(from) as IncomingMessage) !== IncomingMessage.prototype) {
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (!property.get || property.set || Object.hasOwn(prototype, key)) continue;
      Object.defineProperty(prototype, key, {
        configurable: true,
        enumerable: true,
        // An application that mounts this one may have its own getter.
        get(this: IncomingMessage) {
          return Reflect.get(Object.getPrototypeOf(prototype) as object, key, this) as unknown;
        },
        set(this: IncomingMessage, value: unknown) {
          Object.defineProperty(this, key, { configurable: true, enumerable: true, writable: true, value });
        },
      });
    }
  }
}

/** Nest creates its server without a way to set the classes. This server replaces it and takes over its listeners. */
function takingOver(nests: Server, ours: Server): Server {
  for (const event of nests.eventNames()) {
    ours.removeAllListeners(event);
    for (const listener of nests.rawListeners(event)) ours.on(event as string, listener as () => void);
  }
  return ours;
}
