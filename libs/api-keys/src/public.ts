import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/**
 * Marks a route, or every route of a controller, that needs no key. Its callers are not looked up either, so it
 * answers even when the key store does not; `@Caller()` is null on it.
 *
 * @example
 * ```ts
 * @Public()
 * @Get('health/live')
 * live() {}
 * ```
 */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });

type Controller = ReturnType<ExecutionContext['getClass']>;
type Handler = ReturnType<ExecutionContext['getHandler']>;

@Injectable()
export class PublicRoutes {
  // By controller first: two controllers may inherit one handler, and only one of them be public.
  private readonly known = new Map<Controller, Map<Handler, boolean>>();

  constructor(private readonly reflector: Reflector) {}

  /** Whether the route that `context` is about carries `@Public()`. Reads the metadata once per route. */
  includes(context: ExecutionContext): boolean {
    return this.known.get(context.getClass())?.get(context.getHandler()) ?? this.read(context);
  }

  private read(context: ExecutionContext): boolean {
    const controller = context.getClass();
    const handler = context.getHandler();
    const isPublic = this.reflector.getAllAndOverride(Public, [handler, controller]) ?? false;
    const ofController = this.known.get(controller) ?? new Map<Handler, boolean>();
    this.known.set(controller, ofController.set(handler, isPublic));
    return isPublic;
  }
}
