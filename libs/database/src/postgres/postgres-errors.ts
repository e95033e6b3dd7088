import { StorageUnavailable } from '@animal-store/kernel';
import { errorCode, UniqueViolation } from '../driver-errors.js';

const UNIQUE_VIOLATION = '23505';
/**
 * SQLSTATE classes and codes of a server that is gone, shutting down, out of resources, too slow, refusing connections,
 * or has become a standby (PostgreSQL, appendix A).
 */
const UNAVAILABLE = /^(08|28|3D000|53|57P0|57014|55P03|25P03|25006|58)/;
/** A serialisation failure or a deadlock: the transaction was rolled back and can be run again. */
const RETRYABLE = /^(40001|40P01)$/;
const MAX_ATTEMPTS = 3;
/** Node's codes of a connection that broke: of the socket, of its stream and of TLS. */
const BROKEN = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|ENOTCONN$|EPROTO$|ERR_STREAM|ERR_SSL|ERR_TLS)/;
/** What the driver says, without a code, of a connection that broke, timed out, or can no longer be understood. */
const UNUSABLE =
  /^(Connection terminated|Query read timeout|Client (has encountered a connection error|was closed)|Received unexpected )/;

/**
 * The driver itself failed, such as with a value that it cannot send: a fault of the program. Its connection is closed,
 * as the driver goes on to use a prepared statement that it has dropped from the server.
 */
export class DriverFailed extends Error {
  constructor(cause: unknown) {
    super('The driver of PostgreSQL failed.', { cause });
    this.name = 'DriverFailed';
  }
}

/** The error of this service for one that a statement met on an open connection. */
export function translated(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error;
  const code = errorCode(error);
  if (isFromServer(error)) {
    if (code === UNIQUE_VIOLATION) return new UniqueViolation(error);
    return UNAVAILABLE.test(code) ? new StorageUnavailable(error) : error;
  }
  const { message } = (error ?? {}) as { message?: unknown };
  const isLost = code === '' ? UNUSABLE.test(String(message)) : BROKEN.test(code);
  return isLost ? new StorageUnavailable(error) : new DriverFailed(error);
}

export function rethrowTranslated(error: unknown): never {
  throw translated(error);
}

/** For an attempt to connect: whatever the reason, there is no connection. */
export function rethrowUnavailable(error: unknown): never {
  throw new StorageUnavailable(error);
}

/**
 * Runs it again when PostgreSQL has ended it because of a deadlock.
 * @throws StorageUnavailable when that happens again and again
 */
export async function repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!RETRYABLE.test(errorCode(error))) throw error;
      if (attempts === MAX_ATTEMPTS) throw new StorageUnavailable(error);
    }
  }
}

/** Whether it ends an attempt, wherever in it the error came from. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof StorageUnavailable || error instanceof DriverFailed || RETRYABLE.test(errorCode(error))
  );
}

function isFromServer(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity !== undefined;
}
