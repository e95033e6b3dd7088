import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/**
 * Marks a route, or all routes of a controller, as needing no key. Keys are not looked up there, so the route works
 * even when the store does not; `@Caller()` is null.
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
  // By controller first, as two controllers may inherit one handler and only one of them may be public.
  private readonly known = new Map<Controller, Map<Handler, boolean>>();

  constructor(private readonly reflector: Reflector) {}

  /** Whether the route of `context` has `@Public()`. The metadata is read once per route. */
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
