import { StorageUnavailable } from '@animal-store/kernel';
import { errorCode, UniqueViolation } from '../driver-errors.js';

const UNIQUE_VIOLATION = '23505';
/**
 * SQLSTATE classes and codes of a server that is unreachable, shutting down, too slow, refusing connections, or has
 * become a standby (PostgreSQL, appendix A).
 */
const UNAVAILABLE = /^(08|28|3D000|57P0|25P03|25006)/;
/** A resource or the system has failed, such as memory or the disk. */
const OUT_OF_RESOURCES = /^(53|58)/;
/** A serialisation failure or a deadlock: the transaction was rolled back and can be run again. */
const RETRYABLE = /^(40001|40P01)$/;
/** A value that its column cannot have: too long, out of range, or no number, date or UUID. */
const UNFIT = /^22(00[1378]|P02)$/;
const LOCK_TIMED_OUT = '55P03';
const STATEMENT_TIMED_OUT = '57014';
/** There is no prepared statement of this name, or there is one already. */
const PREPARED_STATE = /^(26000|42P05)$/;
/** The columns of a prepared statement have other types than before. Missing features have this code, too. */
const FEATURE_NOT_SUPPORTED = '0A000';
const PLAN_CHANGED = 'RevalidateCachedQuery';
/** What a value that cannot be sent makes the driver throw. */
const OF_PROGRAM = /^(Type|Range|Syntax|Reference)Error$/;

/**
 * The driver itself failed, such as with a value that it cannot send: a fault of the program. Its connection is closed,
 * as the driver continues to use a prepared statement that it has dropped from the server.
 */
export class DriverFailed extends Error {
  constructor(cause: unknown) {
    super('The driver of PostgreSQL failed.', { cause });
    this.name = 'DriverFailed';
  }
}

/**
 * The prepared statements of the connection differ from what this process expects: a column has another type, or
 * somebody has removed them. The statement was not run.
 */
export class PreparedStateLost extends StorageUnavailable {}

/** The statement alone has failed and stored nothing. Its connection can be used, and other statements may succeed. */
class StatementFailed extends StorageUnavailable {}

/** The statement took longer than its time-out. */
export class StatementTimedOut extends StatementFailed {}

/** Another transaction has locked what the statement needs. */
export class LockTimedOut extends StatementFailed {}

/** PostgreSQL lacks what the statement needs. */
class OutOfResources extends StatementFailed {}

/** The error of this service for one that a statement met on an open connection. */
export function translated(error: unknown): unknown {
  if (error instanceof StorageUnavailable || error instanceof DriverFailed) return error;
  const { severity, routine, name, driverError } = (error ?? {}) as Partial<Record<string, unknown>>;
  // TypeORM has the error of the driver within its own.
  if (severity === undefined && driverError !== undefined) return translated(driverError);
  // Whatever else the driver says without a code of PostgreSQL is about its connection.
  if (severity === undefined)
    return OF_PROGRAM.test(String(name)) ? new DriverFailed(error) : new StorageUnavailable(error);
  const code = errorCode(error);
  if (code === UNIQUE_VIOLATION) return new UniqueViolation(error);
  // A caller has sent it. SQLite has no such bounds.
  if (UNFIT.test(code)) return Object.assign(error as Error, { status: 400 });
  if (PREPARED_STATE.test(code) || (code === FEATURE_NOT_SUPPORTED && routine === PLAN_CHANGED))
    return new PreparedStateLost(error);
  if (OUT_OF_RESOURCES.test(code)) return new OutOfResources(error);
  if (code === LOCK_TIMED_OUT) return new LockTimedOut(error);
  if (code === STATEMENT_TIMED_OUT) return new StatementTimedOut(error);
  return UNAVAILABLE.test(code) ? new StorageUnavailable(error) : error;
}

export function rethrowTranslated(error: unknown): never {
  throw translated(error);
}

/** For an attempt to connect: whatever the reason, there is no connection. */
export function rethrowUnavailable(error: unknown): never {
  throw new StorageUnavailable(error);
}

/** Whether PostgreSQL has ended it because of others, as with a deadlock: it can be run again. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.test(errorCode(error));
}

/** Whether the error ends an attempt, whichever of its statements failed. */
export function isFinal(error: unknown): boolean {
  return isOfConnection(error) || error instanceof StatementFailed || isRetryable(error);
}

/**
 * Whether the connection is useless after it, and the outcome of the statement unknown. After any other error
 * PostgreSQL has stored nothing of a statement outside a transaction.
 */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof StatementFailed) return false;
  return error instanceof StorageUnavailable || error instanceof DriverFailed;
}
