import type { LogDestination } from './json-logger.js';

/** What would move the cursor or change the terminal, if an error message contained it. A stack has its lines. */
const CONTROL = /[^\P{Cc}\n]|[\u2028\u2029]/gu;

/** Shows the log to a person: each line of JSON becomes text. For terminals only, as it parses each line. */
export async function terminalLog(output: LogDestination, colorize: boolean): Promise<LogDestination> {
  // Loaded only here, so that no other process loads it.
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageKey: 'message',
    // The fields of the line of a request that its message has.
    ignore: 'method,route,status,aborted',
    messageFormat: (line) => {
      const { message = '', durationMs, status, method, route } = line as Record<string, string | null>;
      return durationMs === undefined ? message! : `${status ?? 'aborted'} ${method ?? '-'} ${route}`;
    },
  });
  return {
    write: (line) => output.write(pretty(JSON.parse(line, visible))),
    get droppedLines() {
      return output.droppedLines;
    },
    onRecovery: (report) => output.onRecovery?.(report),
  };
}

function visible(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(CONTROL, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
