import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@animal-store/http-errors/swagger';
import type { ErrorClass } from '@animal-store/kernel';
import { SendsBytes } from '@animal-store/web';

/** The description of one operation in the OpenAPI document. */
export interface OperationOptions {
  /** A few words, without a full stop: the title of the operation. */
  readonly summary: string;
  /** Markdown: what a caller must know beside the fields. */
  readonly description?: string;
  /**
   * The successful response: one resource (`item`), a list (`page`), a new resource (`created`), a changed one
   * (`changed`), one that will be processed later (`accepted`: 202; null without a body), a StreamableFile (`bytes`),
   * events while the client listens (`stream`: the data of one, of a handler with `@Sse()`), `'nothing'` (204),
   * or `'stored'` of a PUT, which has no body but the `ETag` that the handler sets: 201 for what is new, else 204. Its
   * status is set too, unless `@HttpCode` above says another, or it is that of the verb in Nest.
   */
  readonly response:
    | { readonly item: Type }
    | { readonly page: Type }
    | { readonly created: Type }
    | { readonly changed: Type }
    | { readonly accepted: Type | null }
    | { readonly stream: Type }
    | { readonly bytes: BytesFacts }
    | 'nothing'
    | 'stored';
  /** Fields of the JSON that it returns, where the examples of the class contradict what it does. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Parameters in its path, by name, unless an `IdPipe` reads them and their name says what they are. */
  readonly path?: Readonly<Record<string, PathParameter>>;
  /** The error classes that it throws, beside those of every operation, its body, query and page, and `IdPipe`. */
  readonly errors?: readonly ErrorClass[];
}

export interface BytesFacts {
  readonly types: readonly [string, ...string[]];
  readonly maxBytes: number;
}

export interface PathParameter {
  readonly description: string;
  readonly schema: object;
}

export const DescribedBy = Reflector.createDecorator<OperationOptions>();

/** The handlers with `@Operation` of the controllers loaded so far. */
export const describedHandlers: { readonly controller: Type; readonly name: string }[] = [];

/** Documents an operation completely: its response, all its errors, and their headers. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description = '', response } = options;
  const status = statusOf(response);
  const types = Object.values(response).filter((type) => typeof type === 'function');
  return applyDecorators(
    ApiOperation({ summary, description }),
    ApiExtraModels(ErrorResponse, ...(types as Type[])) as MethodDecorator,
    DescribedBy(options),
    ({ constructor }: object, name: string | symbol) =>
      void describedHandlers.push({ controller: constructor as Type, name: String(name) }),
    ...(status === null ? [] : [HttpCode(status)]),
    ...(typeof response === 'object' && 'bytes' in response ? [SendsBytes()] : []),
  );
}

/** Null for that of the verb. */
function statusOf(response: OperationOptions['response']): number | null {
  if (typeof response === 'string') return response === 'nothing' ? 204 : null;
  if ('accepted' in response) return 202;
  return 'changed' in response ? 200 : null;
}

/** Stores the description of a tag, which `@ApiTags` does not. */
export const TagMetadata = Reflector.createDecorator<{ name: string; description: string }>();

/** Puts the operations of a controller under a heading of the OpenAPI document. */
export function Tag(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), TagMetadata({ name, description }));
}
