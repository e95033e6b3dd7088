import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiQuery } from '@nestjs/swagger';
import {
  Deprecated as DeprecatedAtRunTime,
  type DeprecatedOptions,
  onHandlers,
} from './deprecated.decorator.js';

/**
 * Does what `@Deprecated` of `@animal-store/deprecation` does, and sets `deprecated: true` and `x-sunset` in the OpenAPI
 * document, or `deprecated: true` of the query parameter. Of a parameter that is a property of a DTO, set
 * `@ApiPropertyOptional({ deprecated: true })` and use the decorator without `/swagger`.
 */
export function Deprecated(options: DeprecatedOptions): ClassDecorator & MethodDecorator {
  return onHandlers(applyDecorators(DeprecatedAtRunTime(options), ...inDocument(options)));
}

function inDocument({ query, sunset }: DeprecatedOptions): MethodDecorator[] {
  if (query !== undefined) return [deprecatedQuery(query)];
  return [
    // An absent summary would overwrite the one of an @ApiOperation below this decorator with ''.
    ApiOperation({ deprecated: true, summary: undefined }),
    ...(sunset === undefined ? [] : [ApiExtension('x-sunset', sunset)]),
  ];
}

interface DescribedParameter {
  readonly name?: string;
  readonly in?: string;
}

/** The metadata key of `@ApiQuery()`. */
const PARAMETERS = 'swagger/apiParameters';

/** The document has the first of several descriptions of a parameter, so one that is there is changed. */
function deprecatedQuery(query: string): MethodDecorator {
  const isIt = (described: DescribedParameter) => described.name === query && described.in === 'query';
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const all = (Reflect.getMetadata(PARAMETERS, handler) ?? []) as readonly DescribedParameter[];
    const own = all.find(isIt);
    if (!own) return ApiQuery({ name: query, required: false, deprecated: true })(target, name, descriptor);
    const others = all.filter((described) => !isIt(described));
    Reflect.defineMetadata(PARAMETERS, [...others, { ...own, deprecated: true }], handler);
  };
}
