import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { errorDefaults } from './error-defaults.js';
import { ErrorResponse } from './error.response.js';

/**
 * Documents the error answers of one handler, or of all handlers of a controller, with the schema `Error`. Other
 * `@ApiResponse` decorators of the same status add to it, such as headers.
 *
 * @example
 * ```ts
 * @ApiErrors(400, 401, 429)
 * @ApiResponse({ status: 429, headers: { 'Retry-After': { schema: { type: 'integer' } } } })
 * ```
 */
export function ApiErrors(...statuses: number[]): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, description: errorDefaults(status).message, type: ErrorResponse }),
    ),
  );
}
