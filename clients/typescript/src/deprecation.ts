import { linkTarget } from './links.js';
import type { OperationName } from './operation-name.js';

/** What the service says of an operation that it will remove. */
export interface Deprecation {
  operation: OperationName;
  /** When it will be removed, where that is decided. */
  sunset: Date | null;
  /** What to use instead, as a path or URL. */
  successor: string | null;
}

export function deprecationOf(operation: OperationName, headers: Headers): Deprecation {
  const sunset = headers.get('Sunset');
  return {
    operation,
    sunset: sunset === null ? null : new Date(sunset),
    successor: linkTarget(headers, 'successor-version'),
  };
}

export function warnOnConsole({ operation, sunset, successor }: Deprecation): void {
  const until = sunset === null ? '' : ` and will be removed on ${sunset.toISOString().slice(0, 10)}`;
  console.warn(
    `${operation} is deprecated${until}.${successor === null ? '' : ` Use ${successor} instead.`}`,
  );
}
