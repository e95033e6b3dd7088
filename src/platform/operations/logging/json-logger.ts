import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../../config/settings.js';
import { errorFacts } from './error-facts.js';
import type { StandardOutput } from './standard-output.js';

/** Parts of the framework that report each module and route at start: worth a line only to who looks for it. */
const CHATTY_CONTEXTS = new Set([
  'NestApplication',
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** An API key, should one ever find its way into an error's message. */
const API_KEY = /ask_(live|test)_[0-9A-Za-z]+/g;

/** Where lines go. One that drops lines says how many, and when it has room again. */
export type LogDestination = DestinationStream & Partial<Pick<StandardOutput, 'droppedLines' | 'onRecovery'>>;

/**
 * The service's log, and Nest's: one JSON object a line with `time` in milliseconds since the Unix epoch, `level`,
 * `message`, and what else there is to know.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(
    level: LogLevel,
    private readonly destination: LogDestination,
    now: () => number,
  ) {
    destination.onRecovery?.((lines) =>
      this.warn(`Log lines were dropped, as nobody read them: ${lines}.`, 'Log'),
    );
    this.pino = pino(
      {
        level,
        base: null,
        messageKey: 'message',
        errorKey: 'error',
        timestamp: () => `,"time":${now()}`,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { error: errorFacts },
        hooks: { streamWrite: (line) => line.replace(API_KEY, 'ask_$1_[redacted]') },
      },
      destination,
    );
  }

  /** Lines that never reached their reader, since the start. */
  get droppedLines(): number {
    return this.destination.droppedLines ?? 0;
  }

  isEnabled(level: LogLevel): boolean {
    return this.pino.isLevelEnabled(level);
  }

  /** Writes a line as it is. The caller has asked `isEnabled`, and vouches for JSON without secrets. */
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

  /** Nest's convention: a message, then anything, then perhaps a stack, and last the name of who is speaking. */
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
