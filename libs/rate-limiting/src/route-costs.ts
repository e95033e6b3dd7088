import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { ROUTE_COST } from './rate-limit.decorator.js';

type Controller = ReturnType<ExecutionContext['getClass']>;
type Handler = ReturnType<ExecutionContext['getHandler']>;

/** The metadata keys of @nestjs/throttler's decorators: these words, and the name of a throttler. */
const SKIP_THROTTLE = 'THROTTLER:SKIP';
const SKIPPED = `${SKIP_THROTTLE}default`;
const THROTTLE = /^THROTTLER:(LIMIT|TTL|BLOCK_DURATION|TRACKER|KEY_GENERATOR)/;

/** What a request of each route costs. The metadata is read once per route. */
@Injectable()
export class RouteCosts {
  // By controller first, as two controllers may inherit one handler and only one of them may be skipped.
  private readonly known = new Map<Controller, Map<Handler, number>>();

  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModulesContainer,
  ) {}

  /** The cost of the route of `context`; 0 with `@SkipThrottle()`. */
  of(context: ExecutionContext): number {
    return this.known.get(context.getClass())?.get(context.getHandler()) ?? this.read(context);
  }

  /** @throws Error when a route has a limit of @nestjs/throttler, which would do nothing */
  refuseThrottle(): void {
    const scanner = new MetadataScanner();
    for (const { controllers } of this.modules.values()) {
      for (const controller of controllers.values()) {
        const type = controller.metatype as Type<object>;
        const prototype = type.prototype as Readonly<Record<string, object>>;
        refuseThrottleOn(type, type.name);
        for (const name of scanner.getAllMethodNames(prototype)) {
          refuseThrottleOn(prototype[name]!, `${type.name}.${name}`);
        }
      }
    }
  }

  private read(context: ExecutionContext): number {
    const controller = context.getClass();
    const handler = context.getHandler();
    const skips = this.reflector.getAllAndOverride<boolean>(SKIPPED, [handler, controller]) ?? false;
    const cost = this.reflector.getAllAndOverride<number>(ROUTE_COST, [handler, controller]) ?? 1;
    const ofController = this.known.get(controller) ?? new Map<Handler, number>();
    this.known.set(controller, ofController.set(handler, skips ? 0 : cost));
    return skips ? 0 : cost;
  }
}

function refuseThrottleOn(target: object, name: string): void {
  for (const key of Reflect.getMetadataKeys(target).map(String)) {
    if (THROTTLE.test(key)) {
      throw new Error(
        `@Throttle() on ${name} has no effect: limits come from the plan of the caller. Use @RateLimit({ cost }).`,
      );
    }
    if (key.startsWith(SKIP_THROTTLE) && key !== SKIPPED) {
      throw new Error(
        `@SkipThrottle() on ${name} names a throttler, and there are none. Use it without names.`,
      );
    }
  }
}
