import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import type { ErrorClass } from '@animal-store/kernel';
import { SWAGGER_KEYS, whenDeclared } from '@animal-store/kernel/http';
import { type HttpError, httpErrorFrom } from './http-error.js';
import { ErrorResponse } from './error.schemas.js';

/** What a handler throws: a class that says when, with an example; or an error, whose message says when. */
export type ThrownError = Pick<ErrorClass, 'when' | 'example'> | Error;

/** An error as it is sent, and when. */
export type DocumentedError = Pick<HttpError, 'status' | 'code' | 'message'> & Pick<ErrorClass, 'when'>;

/**
 * Puts what a handler throws into the OpenAPI document: a response for each status, with each error as an example.
 * Errors that other decorators of the handler throw, such as `@Idempotent()` of `@animal-store/idempotency/swagger`,
 * are added.
 */
export function ApiErrors(...errors: readonly ThrownError[]): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(ErrorResponse) as MethodDecorator,
    whenDeclared((declared, ...handler) => {
      const all = [...errors, ...declared].map(documented);
      for (const status of new Set(all.map((error) => error.status))) {
        const ofStatus = all.filter((error) => error.status === status);
        documentErrors({ status, ...errorResponse(ofStatus) })(...handler);
      }
    }),
  );
}

function documented(error: ThrownError): DocumentedError {
  const { when, example } = error instanceof Error ? { when: error.message, example: error } : error;
  return { ...httpErrorFrom(example), when };
}

const ours = new WeakSet<object>();

/** Replaces the errors of a status: @nestjs/swagger joins the descriptions of one that is documented twice. */
function documentErrors(response: ApiResponseOptions & { status: number }): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const { [response.status]: former, ...others } = responsesOf(handler);
    if (former && ours.has(former)) Reflect.defineMetadata(SWAGGER_KEYS.responses, others, handler);
    ApiResponse(response)(target, name, descriptor);
    ours.add(responsesOf(handler)[response.status]!);
  };
}

function responsesOf(handler: object): Readonly<Record<number, object>> {
  return (Reflect.getMetadata(SWAGGER_KEYS.responses, handler) ?? {}) as Record<number, object>;
}

/** The response of one status: when its errors are sent, and an example of each. */
export function errorResponse(errors: readonly DocumentedError[]) {
  const cases = errors.map(({ code, when }) => `\`${code}\`: ${when}`);
  const examples = errors.map(
    ({ status, code, message, when }) => [code, { summary: when, value: { code, message, status } }] as const,
  );
  return {
    description: cases.length === 1 ? cases[0]! : cases.map((text) => `- ${text}`).join('\n'),
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorResponse) },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
