import type { IncomingMessage } from 'node:http';
import { type Clock, LineLimit, StorageUnavailable } from '@animal-store/kernel';
import { factsOf } from '@animal-store/web';
import { NotReady } from '../health/health.controller.js';
import type { JsonLogger } from './json-logger.js';

const LINE_EVERY_MS = 1_000;
/**
 * Logs why requests fail. The line of each request says the cause in a sentence. A line with the stack follows for the
 * first failure of a cause, and then at most once a second with the number of failures since the one before.
 */
export class FailureLog {
  private readonly lines: LineLimit;

  constructor(
    private readonly logger: JsonLogger,
    clock: Clock,
  ) {
    this.lines = new LineLimit(LINE_EVERY_MS, clock);
  }

  failed(failure: unknown, request: IncomingMessage): void {
    // Readiness has logged what is wrong, once.
    if (failure instanceof NotReady) return;
    const error = causeOf(failure);
    const facts = factsOf(request);
    facts.failure = this.logger.withoutSecrets(error instanceof Error ? messageOf(error) : String(error));
    const count = this.lines.count(identityOf(error));
    if (count === null) return;
    const { requestId } = facts;
    this.logger.error({ requestId, count, error, message: 'A request failed.' });
  }
}

/** The error of the driver of the database. A request that is refused meanwhile has another's as its cause. */
function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof StorageUnavailable && cause.cause) ({ cause } = cause);
  return cause;
}

/** When a host has several addresses, the error has one error per address and no message. */
function messageOf({ message, errors }: Error & { errors?: unknown }): string {
  return message || (Array.isArray(errors) && errors[0] instanceof Error ? errors[0].message : 'no message');
}

/** What two failures of one cause have in common: all but the numbers in their messages. */
function identityOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  const place = stack?.split('\n').find((line) => line.startsWith('    at '));
  return `${name} ${code} ${message.replaceAll(/\d+/g, '0')} ${place}`;
}
