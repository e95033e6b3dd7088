import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../../config/settings.js';
import { errorFacts } from './error-facts.js';
import { gathered } from './gathered.js';

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

/** Beyond this, lines are dropped: a reader that stalls must neither stop the service nor fill its memory. */
const MAX_WAITING_BYTES = 16_777_216;

/** Standard output, written to in the background and many lines at a time: none costs a system call of its own. */
export function standardOutput(): DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    contentMode: 'buffer',
  });
  // In this mode it takes bytes, which its types do not say.
  const write = (bytes: Buffer) => output.write(bytes as unknown as string);
  return gathered({ write, flushSync: () => output.flushSync() }, process);
}

/**
 * The service's log, and Nest's: one JSON object a line with `time` in milliseconds since the Unix epoch, `level`,
 * `message`, and what else there is to know.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(
    level: LogLevel,
    private readonly destination: DestinationStream,
    now: () => number,
  ) {
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
