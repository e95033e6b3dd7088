/** The causes of an error may form a long chain, or a circle. */
const MAX_DEPTH = 4;

/**
 * The fields of an error in the log. Only these: drivers attach queries, parameters and connection settings to their
 * errors.
 */
export function errorFields(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(cause === undefined || depth === MAX_DEPTH ? {} : { cause: errorFields(cause, depth + 1) }),
  };
}
