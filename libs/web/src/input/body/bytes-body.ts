import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import { declareErrors } from '@animal-store/kernel/http';
import {
  BYTES_ERRORS,
  EmptyBody,
  PayloadTooLarge,
  UnsupportedMediaType,
} from '../../responses/request.errors.js';

export interface BytesBodyOptions {
  /** The media types that are accepted. */
  readonly types: readonly [string, ...string[]];
  /** The largest body, independent of the limit of JSON. */
  readonly maxBytes: number;
}

/** A body as it was sent, of one of the accepted types. */
export interface BytesBody<MediaType extends string = string> {
  readonly bytes: Buffer;
  /** In lower case and without parameters. */
  readonly mediaType: MediaType;
}

/**
 * Injects a body that is no JSON. It is read after the guards, and into memory.
 *
 * @throws EmptyBody, UnsupportedMediaType for any other type, PayloadTooLarge
 * @example
 * ```ts
 * @Put()
 * setPhoto(@BytesBody({ types: ['image/png', 'image/jpeg'], maxBytes: 5_000_000 }) { bytes, mediaType }: BytesBody) {}
 * ```
 */
export function BytesBody(options: BytesBodyOptions): ParameterDecorator {
  const { types, maxBytes } = options;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new RangeError(
      `The "maxBytes" of @BytesBody() must be a whole number of at least 1, not ${maxBytes}.`,
    );
  return (target, name, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name!)!;
    ReadBytes(options)(target, name, index);
    ApiConsumes(...types)(target, name!, descriptor);
    ApiBody({ schema: bytesSchema(maxBytes) })(target, name!, descriptor);
    declareErrors([
      ...BYTES_ERRORS,
      { ...PayloadTooLarge, example: new PayloadTooLarge(maxBytes) },
      { ...UnsupportedMediaType, example: new UnsupportedMediaType(unsupportedMessage(types)) },
    ])(target, name!, descriptor);
  };
}

/** Exported for the guard, which reads the body first. */
export function bytesOf(_: BytesBodyOptions, context: ExecutionContext): BytesBody {
  return context.switchToHttp().getRequest<{ readonly body: BytesBody }>().body;
}

const ReadBytes = createParamDecorator(bytesOf);

const SENDS_BYTES = 'bytes:sends';

/** Marks a handler whose response is bytes: while they are sent, they count as the bytes of a body do. */
export function SendsBytes(): MethodDecorator {
  return SetMetadata(SENDS_BYTES, true);
}

export function sendsBytes(handler: object): boolean {
  return Reflect.hasMetadata(SENDS_BYTES, handler);
}

/** How OpenAPI describes bytes: generators make a file of them. */
export function bytesSchema(maxBytes: number): { type: 'string'; format: 'binary'; maxLength: number } {
  return { type: 'string', format: 'binary', maxLength: maxBytes };
}

/**
 * The type of a body.
 * @throws EmptyBody, UnsupportedMediaType
 */
export function acceptedType(request: Request, types: readonly string[]): string {
  const type = request.is([...types]);
  if (type === null) throw new EmptyBody();
  if (type === false) throw new UnsupportedMediaType(unsupportedMessage(types));
  return type;
}

function unsupportedMessage(types: readonly string[]): string {
  return `Content-Type must be ${types.join(' or ')}.`;
}
