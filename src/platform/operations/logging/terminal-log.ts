import type { LogDestination } from './json-logger.js';

/** ECMA-48 "select graphic rendition". Not `styleText` of Node, which decides by itself whether there are colours. */
const CODES = { red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36, gray: 90 } as const;
type Style = keyof typeof CODES;

const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'gray',
  trace: 'gray',
};

/** By the first digit. */
const STATUS_STYLES: Readonly<Record<string, Style>> = { 2: 'green', 3: 'cyan', 4: 'yellow', 5: 'red' };

/** What would move the cursor or change the terminal, if an error message contained it. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;

interface Line {
  readonly level: string;
  readonly time: number;
  readonly message?: string;
  readonly context?: string;
  readonly stack?: string;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

interface RequestLine extends Line {
  readonly requestId: string;
  readonly keyId: string | null;
  readonly method: string | null;
  readonly route: string;
  readonly status: number | null;
  readonly code?: string;
  readonly durationMs: number;
}

/**
 * Shows the log to a person: each line of JSON becomes one line of text with the local time, and the stack of an error
 * follows it. For terminals only, as it parses what was just written.
 */
export class TerminalLog implements LogDestination {
  constructor(
    private readonly output: LogDestination,
    private readonly hasColours: boolean,
  ) {}

  get droppedLines(): number {
    return this.output.droppedLines ?? 0;
  }

  onRecovery(report: (droppedLines: number) => void): void {
    this.output.onRecovery?.(report);
  }

  write(json: string): void {
    const line = JSON.parse(json) as Line;
    const text = 'durationMs' in line ? this.request(line as RequestLine) : this.event(line);
    this.output.write(`${this.styled('gray', timeOf(line.time))} ${text}\n`);
  }

  private request({ status, method, route, code, durationMs, keyId, requestId }: RequestLine): string {
    const shown = status === null ? 'aborted' : String(status);
    const facts = [this.styled(STATUS_STYLES[shown[0]!] ?? 'magenta', shown), method ?? '-', visible(route)];
    if (code !== undefined) facts.push(this.styled('yellow', visible(code)));
    return [...facts, this.styled('gray', `${durationMs} ms ${keyId ?? 'no key'} ${requestId}`)].join(' ');
  }

  private event(line: Line): string {
    const { level, message, context, stack, error, ...rest } = line;
    const facts = [this.styled(LEVEL_STYLES[level] ?? 'magenta', level.toUpperCase().padEnd(5))];
    if (message !== undefined) facts.push(visible(message));
    if (context !== undefined) facts.push(this.styled('gray', `[${visible(context)}]`));
    for (const [name, value] of Object.entries(rest)) {
      if (name !== 'time') facts.push(`${name}=${visible(JSON.stringify(value))}`);
    }
    const below = [stack ?? [], stacksOf(error)].flat().flatMap((text) => text.split('\n'));
    return [facts.join(' '), ...below.map((text) => this.styled('gray', `    ${visible(text)}`))].join('\n');
  }

  private styled(style: Style, text: string): string {
    return this.hasColours ? `\u001b[${CODES[style]}m${text}\u001b[39m` : text;
  }
}

/** The stack of an error in the log and of its causes. */
function stacksOf(error: unknown): string[] {
  if (error === undefined) return [];
  if (typeof error !== 'object' || error === null) return [JSON.stringify(error)];
  const { stack, cause } = error as { stack?: string; cause?: unknown };
  return [...(stack === undefined ? [] : [stack]), ...stacksOf(cause).map((text) => `caused by ${text}`)];
}

function visible(text: string): string {
  return text.replaceAll(
    CONTROL,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The local time of day: a person looks at what happens now. */
function timeOf(ms: number): string {
  const time = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two);
  return `${parts.join(':')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
