import type { IncomingMessage } from 'node:http';
import type { Clock } from '@animal-store/kernel';
import { NotReady } from '../health/health.controller.js';
import type { ObservedRequest } from '../request-observer.js';
import { type JsonLogger, withoutKeys } from './json-logger.js';

const STACK_EVERY_MS = 60_000;
/** Bounds the memory: an error of a message that is always another one has a line each time. */
const MOST_CAUSES = 100;

interface Cause {
  loggedAtMs: number;
  /** How many requests have failed by it since its line. */
  count: number;
}

/**
 * Logs why requests fail. The line of each request says so in a sentence. A line with the stack follows for the first
 * failure of a cause, and then at most once a minute with the number of failures since the one before.
 */
export class FailureLog {
  private readonly causes = new Map<string, Cause>();

  constructor(
    private readonly logger: JsonLogger,
    private readonly clock: Clock,
  ) {}

  failed(error: unknown, request: IncomingMessage): void {
    // Readiness has logged what is wrong, once.
    if (error instanceof NotReady) return;
    const observed = request as ObservedRequest;
    observed.failure = withoutKeys(error instanceof Error ? error.message : String(error));
    const count = this.countToLog(identityOf(error));
    if (count === null) return;
    const { requestId } = observed;
    this.logger.error({ requestId, count, error, message: 'A request failed.' });
  }

  /** The failures since the last line of this cause, if it is time for another one. */
  private countToLog(identity: string): number | null {
    const nowMs = this.clock.monotonicMs();
    const cause = this.causes.get(identity);
    if (cause && nowMs - cause.loggedAtMs < STACK_EVERY_MS) {
      cause.count++;
      return null;
    }
    if (!cause && this.causes.size === MOST_CAUSES) this.causes.delete(this.causes.keys().next().value!);
    this.causes.set(identity, { loggedAtMs: nowMs, count: 0 });
    return (cause?.count ?? 0) + 1;
  }
}

/** What two failures of one cause have in common: all but the numbers in their messages. */
function identityOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  const place = stack?.split('\n').find((line) => line.startsWith('    at '));
  return `${name} ${code} ${message.replaceAll(/\d+/g, '0')} ${place}`;
}
