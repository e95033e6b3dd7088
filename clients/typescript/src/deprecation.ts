import type { OperationName } from './method.js';
import { linkTarget } from './response-info.js';

/** A deprecated operation, as announced in response headers. */
export interface Deprecation {
  operation: OperationName;
  /** When it will be removed, if that is decided. */
  sunset: Date | null;
  /** The replacement: a path or URL. */
  successor: string | null;
  /** The page that says how to replace it. */
  documentation: string | null;
}

export function deprecationOf(operation: OperationName, headers: Headers): Deprecation {
  const sunsetMs = Date.parse(headers.get('Sunset') ?? '');
  return {
    operation,
    sunset: isNaN(sunsetMs) ? null : new Date(sunsetMs),
    successor: linkTarget(headers, 'successor-version'),
    documentation: linkTarget(headers, 'deprecation'),
  };
}

export function warnOnConsole({ operation, sunset, successor, documentation }: Deprecation): void {
  const until = sunset ? ` and will be removed on ${sunset.toISOString().slice(0, 10)}` : '';
  const use = successor ? ` Use ${successor} instead.` : '';
  const how = documentation ? ` See ${documentation}.` : '';
  console.warn(`${operation} is deprecated${until}.${use}${how}`);
}
