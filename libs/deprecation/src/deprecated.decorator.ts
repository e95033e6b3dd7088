import { UseInterceptors } from '@nestjs/common';
import { markDeprecated } from './deprecated-operation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

export interface DeprecatedOptions {
  /** The day from which the operation is deprecated, `YYYY-MM-DD`, from midnight UTC. */
  since: string;
  /** The day from which the response is 410, `YYYY-MM-DD`, from midnight UTC. */
  sunset?: string;
  /** The replacement: a path or URL. */
  successor?: string;
  /** The documentation of the deprecation: a path or URL. */
  documentation?: string;
}

/**
 * Marks a handler as deprecated. Its responses have the deprecation headers, and after the sunset the response is 410
 * `operation_removed`. `DeprecationInterceptor` does this; it needs DeprecationModule. The decorator of this name in
 * `@animal-store/deprecation/swagger` marks the operation in the OpenAPI document too.
 *
 * @throws RangeError for an invalid date, a sunset before `since` (RFC 9745 section 4), or an invalid URI
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

  return (target, name, descriptor) => {
    UseInterceptors(DeprecationInterceptor)(target, name, descriptor);
    markDeprecated(descriptor.value as object, {
      name: String(name),
      sinceMs,
      sunsetMs,
      removedMessage: sunset === undefined ? null : `This operation was removed on ${sunset}.${instead}`,
      successor,
      // RFC 9745 section 2: a structured-field Date, seconds since the Unix epoch.
      deprecationHeader: `@${sinceMs / 1000}`,
      // RFC 8594 section 3: an HTTP-date.
      sunsetHeader: sunsetMs === null ? null : new Date(sunsetMs).toUTCString(),
      linkHeader: links.length === 0 ? null : links.join(', '),
    });
  };
}

function startOfDayMs(day: string): number {
  const date = new Date(`${day}T00:00:00Z`);
  // Date turns 30 February into a day in March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) {
    throw new RangeError(`"${day}" is not a date of the form YYYY-MM-DD.`);
  }
  return date.getTime();
}

/** One link of RFC 8288 section 3. */
function link(target: string | null, relation: string): string | null {
  if (target === null) return null;
  // RFC 3986 allows none of these characters in a URI reference, and each would break the header.
  if (/[^\x21-\x7e]|[<>"]/.test(target)) throw new RangeError(`"${target}" is not a URI reference.`);
  return `<${target}>; rel="${relation}"`;
}
