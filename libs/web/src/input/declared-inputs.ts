import type { Route } from '@animal-store/http-errors';
import { declaredBy, type HandlerParameter, parametersOf } from '@animal-store/kernel/http';
import { accepts, dtoOf, isDtoType } from './dto.js';

const INPUTS: readonly HandlerParameter['kind'][] = ['BODY', 'QUERY', 'PARAM'];

/**
 * Finds input that nobody would validate, or that would always be refused. The type of a parameter or a field may exist
 * only for the compiler, for example because its class is imported as a type.
 *
 * @returns a sentence for each, which names the place and what to do
 */
export function undocumentedInputs(
  routes: readonly Pick<Route, 'controller' | 'handler' | 'name'>[],
): string[] {
  // A schema or a pipe decides how a parameter is read.
  const stock = routes.filter(
    ({ controller, handler }) => ![controller, handler].some((one) => declaredBy('pipes', one)),
  );
  const found = stock.flatMap(({ controller, name }) =>
    parametersOf(controller, name)
      .filter(({ kind, pipes, schema }) => INPUTS.includes(kind) && pipes.length === 0 && !schema)
      .flatMap((parameter) => problemsOf(parameter, `${controller.name}.${name}`)),
  );
  return [...new Set(found)];
}

function problemsOf({ kind, data, type }: HandlerParameter, handler: string): string[] {
  if (!isDtoType(type)) {
    // Nest makes strings, numbers and booleans of single values.
    if (data !== undefined && [String, Number, Boolean].includes(type as never)) return [];
    const name = kind!.charAt(0) + kind!.slice(1).toLowerCase();
    return [
      `@${name}(${typeof data === 'string' ? `'${data}'` : ''}) of ${handler} has no class with rules, so nothing validates it: ` +
        'declare one, imported without "type", or pass a schema or a pipe. AsSent accepts it as it is.',
    ];
  }
  const { fields } = dtoOf(type);
  const bare = Object.keys(new type()).filter((name) => !fields.has(name));
  const nullable = [...fields.values()].filter(
    (field) => kind !== 'BODY' && accepts(null, field) && !accepts(undefined, field),
  );
  return [
    ...bare.map(
      (name) => `${type.name}.${name} has no rule, so every value of it is refused: add a decorator.`,
    ),
    ...nullable.map(
      ({ name }) =>
        `${type.name}.${name} is nullable, but a query or a path cannot contain null: make it optional.`,
    ),
  ];
}
