import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import { Deprecated as DeprecatedAtRunTime, type DeprecatedOptions } from './deprecated.decorator.js';

/**
 * Does what `@Deprecated` of `@animal-store/deprecation` does, and sets `deprecated: true` and `x-sunset` in the
 * OpenAPI document.
 */
export function Deprecated(options: DeprecatedOptions): MethodDecorator {
  const { sunset } = options;
  return applyDecorators(
    DeprecatedAtRunTime(options),
    // An absent summary would overwrite the one of an @ApiOperation below this decorator with ''.
    ApiOperation({ deprecated: true, summary: undefined }),
    ...(sunset === undefined ? [] : [ApiExtension('x-sunset', sunset)]),
  );
}
