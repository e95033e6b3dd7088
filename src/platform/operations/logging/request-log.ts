import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerOf } from '@animal-store/api-keys';
import type { Clock } from '@animal-store/kernel';
import type { JsonLogger } from './json-logger.js';

/**
 * Writes one line per request, with the pattern of the route and the id of the key. Paths, queries, headers and bodies
 * are not logged, as they may contain anything, even a key. The line is built by hand, in half the time that pino
 * takes.
 */
export class RequestLog {
  constructor(
    private readonly logger: JsonLogger,
    private readonly clock: Clock,
  ) {}

  write(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    route: string,
    durationMs: number,
    aborted: boolean,
    /** The code of the error that was sent, if one was. */
    code: string | undefined,
  ): void {
    const level = response.statusCode >= 500 && !aborted ? 'error' : 'info';
    if (!this.logger.isEnabled(level)) return;
    const keyId = callerOf(request)?.keyId;
    this.logger.writeLine(
      `{"level":"${level}","time":${this.clock.now()},"requestId":"${requestId}"` +
        `,"keyId":${keyId === undefined ? 'null' : JSON.stringify(keyId)}` +
        `,"method":${request.method ? `"${request.method}"` : 'null'},"route":${JSON.stringify(route)}` +
        `,"status":${aborted ? 'null,"aborted":true' : response.statusCode}` +
        (code === undefined ? '' : `,"code":${JSON.stringify(code)}`) +
        `,"durationMs":${Math.round(durationMs * 1_000) / 1_000}}\n`,
    );
  }
}
