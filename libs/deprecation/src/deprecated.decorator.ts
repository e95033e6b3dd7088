import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import { markDeprecated } from './deprecated-operation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

export interface DeprecatedOptions {
  /** The day from which the operation is deprecated, `YYYY-MM-DD`, from midnight UTC. */
  since: string;
  /** The day from which the operation answers 410, `YYYY-MM-DD`, from midnight UTC. */
  sunset?: string;
  /** What to use instead: a path or URL. */
  successor?: string;
  /** Where the deprecation is explained: a path or URL. */
  documentation?: string;
}

/**
 * Marks a handler as deprecated. Its responses say so in headers, the OpenAPI document has `deprecated: true` and
 * `x-sunset`, and from the sunset on it answers 410 `operation_removed`: all by `DeprecationInterceptor`, which needs
 * DeprecationModule.
 *
 * @throws RangeError for a date that is none, a sunset before `since` (RFC 9745 section 4), or a link that is no URI
 * @example
 * ```ts
 * @Deprecated({
 *   since: '2025-12-05',
 *   sunset: '2030-12-05',
 *   successor: '/v1/pets?status=available',
 *   documentation: '/docs',
 * })
 * @Get(':petId')
 * getPet() {}
 * ```
 */
export function Deprecated(options: DeprecatedOptions): MethodDecorator {
  const { since, sunset, successor = null, documentation = null } = options;
  const sinceMs = startOfDayMs(since);
  const sunsetMs = sunset === undefined ? null : startOfDayMs(sunset);
  if (sunsetMs !== null && sunsetMs < sinceMs) {
    throw new RangeError(`The sunset ${sunset} is before the deprecation ${since}.`);
  }
  const instead = successor === null ? '' : ` Use ${successor} instead.`;
  const links = [
    link(documentation, 'deprecation'),
    sunsetMs === null ? null : link(documentation, 'sunset'),
    link(successor, 'successor-version'),
  ].filter((value) => value !== null);

  const mark: MethodDecorator = (_target, name, { value }) =>
    markDeprecated(value as object, {
      name: String(name),
      sinceMs,
      sunsetMs,
      removedMessage: sunset === undefined ? null : `This operation was removed on ${sunset}.${instead}`,
      // RFC 9745 section 2: a structured-field Date, seconds since the Unix epoch.
      deprecationHeader: `@${sinceMs / 1000}`,
      // RFC 8594 section 3: an HTTP-date.
      sunsetHeader: sunsetMs === null ? null : new Date(sunsetMs).toUTCString(),
      linkHeader: links.length === 0 ? null : links.join(', '),
    });
  return applyDecorators(
    mark,
    // An absent summary would overwrite the one of an @ApiOperation below this decorator with ''.
    ApiOperation({ deprecated: true, summary: undefined }),
    ...(sunset === undefined ? [] : [ApiExtension('x-sunset', sunset)]),
    UseInterceptors(DeprecationInterceptor),
  );
}

function startOfDayMs(day: string): number {
  const date = new Date(`${day}T00:00:00Z`);
  // Date rolls 30 February over into March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) {
    throw new RangeError(`"${day}" is no date of the form YYYY-MM-DD.`);
  }
  return date.getTime();
}

/** One link of RFC 8288 section 3. */
function link(target: string | null, relation: string): string | null {
  if (target === null) return null;
  // RFC 3986 allows none of these in a URI reference; any of them would break the header.
  if (/[^\x21-\x7e]|[<>"]/.test(target)) throw new RangeError(`"${target}" is no URI reference.`);
  return `<${target}>; rel="${relation}"`;
}
