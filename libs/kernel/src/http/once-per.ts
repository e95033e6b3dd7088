/**
 * What `read` makes of an object, made once for each, and cached as long as the object lives.
 *
 * @param read never returns undefined
 * @example
 * const headerOf = oncePer((plan: Plan) => `"minute";q=${plan.perMinute};w=60`);
 */
export function oncePer<Key extends object, Value extends NonNullable<unknown> | null>(
  read: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = read(key)));
    return value;
  };
}

/** The part of Nest's ExecutionContext that says which route it is. */
interface RouteContext<Controller extends object, Handler extends object> {
  getClass(): Controller;
  getHandler(): Handler;
}

/**
 * What `read` makes of a route, such as of the metadata of its decorators, made once for each. By controller first, as
 * two controllers may inherit one handler.
 *
 * @example
 * const isPublic = perRoute(
 *   (controller, handler) => reflector.getAllAndOverride(Public, [handler, controller]) ?? false,
 * );
 * isPublic(context);
 */
export function perRoute<
  Controller extends object,
  Handler extends object,
  Value extends NonNullable<unknown> | null,
>(
  read: (controller: Controller, handler: Handler) => Value,
): (context: RouteContext<Controller, Handler>) => Value {
  const ofController = oncePer((controller: Controller) =>
    oncePer((handler: Handler) => read(controller, handler)),
  );
  return (context) => ofController(context.getClass())(context.getHandler());
}
