import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import { activeTraceId } from '../tracing.js';
import type { StandardOutput } from './standard-output.js';

/** The least serious lines that are written. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Parts of Nest that report each module and route at start. They are logged at debug level. */
const CHATTY_CONTEXTS = new Set([
  'NestApplication',
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** The causes of an error may form a long chain, or a circle. */
const MAX_DEPTH_OF_CAUSES = 4;

/** Where lines are written. A destination that drops lines reports their number when it can write again. */
export type LogDestination = DestinationStream & Partial<Pick<StandardOutput, 'droppedLines' | 'onRecovery'>>;

/**
 * The log of the service and of Nest: one JSON object a line, with `time` in milliseconds since the Unix epoch,
 * `level`, `message` and further fields.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(
    level: LogLevel,
    private readonly destination: LogDestination,
    now: () => number,
    /** Gets the fatal lines as well, as that is where operators search for the reason of an exit. */
    errors: DestinationStream | null = null,
    /** Removes what must not be logged, such as an API key in an error message. */
    readonly withoutSecrets = (text: string): string => text,
  ) {
    destination.onRecovery?.((lines) =>
      this.warn(`Log lines were dropped because standard output was not read fast enough: ${lines}.`, 'Log'),
    );
    this.pino = pino(
      {
        level,
        base: null,
        messageKey: 'message',
        errorKey: 'error',
        timestamp: () => `,"time":${now()}`,
        formatters: { level: (label) => ({ level: label }) },
        mixin: activeTrace,
        serializers: { error: errorFields },
        hooks: { streamWrite: (line) => this.withoutSecrets(line) },
      },
      errors === null
        ? destination
        : pino.multistream([
            { level: 'trace', stream: destination },
            { level: 'fatal', stream: errors },
          ]),
    );
  }

  /** The number of lines dropped since the start. */
  get droppedLines(): number {
    return this.destination.droppedLines ?? 0;
  }

  isEnabled(level: LogLevel): boolean {
    return this.pino.isLevelEnabled(level);
  }

  /** Writes a line unchanged. The caller must check `isEnabled` first and pass JSON without secrets. */
  writeLine(line: string): void {
    this.destination.write(line);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTY_CONTEXTS.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest's convention: a message, then any values, then optionally a stack, and last the context. */
  private write(level: Exclude<LogLevel, 'silent'>, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    const details: unknown[] = [];
    for (const [index, part] of rest.entries()) {
      if (part === undefined) continue;
      if (part instanceof Error) fields.error = part;
      else if (typeof part === 'string' && part.includes('\n    at ')) fields.stack = part;
      else if (typeof part === 'string' && index === rest.length - 1) fields.context = part;
      else details.push(part);
    }
    if (details.length > 0) fields.details = details;

    if (message instanceof Error) this.pino[level]({ ...fields, error: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ ...fields, ...message });
    else this.pino[level](fields, String(message));
  }
}

function activeTrace(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? {} : { trace_id: traceId };
}

/**
 * The fields of an error in the log. Only these: drivers attach queries, parameters and connection settings to their
 * errors.
 */
function errorFields(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(cause === undefined || depth === MAX_DEPTH_OF_CAUSES ? {} : { cause: errorFields(cause, depth + 1) }),
  };
}
