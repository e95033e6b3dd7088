import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { READS_NOTHING } from '@animal-store/kernel/http';

/** Whether the caller has the response with this `ETag` already. */
export type IsKnown = (entityTag: string) => boolean;

/**
 * The `If-None-Match` of a GET of bytes, as a function of their `ETag`; undefined without the header. The bytes that it
 * knows need not be read: return an empty file with the same `ETag`, and the response is 304.
 *
 * @example
 * ```ts
 * getPhoto(@IfNoneMatch() isKnown: IsKnown | undefined) {}
 * ```
 */
export const IfNoneMatch: () => ParameterDecorator = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext): IsKnown | undefined => {
      const request = context.switchToHttp().getRequest<IncomingMessage>();
      if (request.headers['if-none-match'] === undefined) return undefined;
      return (entityTag) => namesTag(request, entityTag);
    },
    { [READS_NOTHING]: true },
  ),
);

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2). */
export function namesTag({ headers }: IncomingMessage, entityTag: string): boolean {
  const condition = headers['if-none-match'];
  if (condition === undefined) return false;
  const current = entityTag.replace(/^W\//, '');
  return (
    condition.trim() === '*' || condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === current)
  );
}

/**
 * Lets the response to a GET be stored and validated by the `ETag` that it has. A caller who has it already gets 304.
 *
 * @returns whether the response is ended
 */
export function endIfKnown(response: ServerResponse): boolean {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  response.appendHeader('Vary', 'Authorization');
  const entityTag = response.getHeader('ETag') as string | undefined;
  if (entityTag === undefined || !namesTag(response.req, entityTag)) return false;
  response.statusCode = 304;
  response.end();
  return true;
}
