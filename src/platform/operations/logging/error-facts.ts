/** An error's cause may have a cause, and so on, even in a circle. */
const MAX_DEPTH = 4;

/**
 * What the log says of an error. Only these fields: drivers hang queries, parameters and connection settings on theirs.
 */
export function errorFacts(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(cause === undefined || depth === MAX_DEPTH ? {} : { cause: errorFacts(cause, depth + 1) }),
  };
}
