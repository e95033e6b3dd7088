import type { DestinationStream } from 'pino';

/** Handing over takes a thread of its own to write: a few thousand times a second would cost as much as the rest. */
const GATHERED_CHARACTERS = 32_768;
const LONGEST_WAIT_MS = 100;

/** Gathers lines for `output`, and hands over the rest when the process exits. */
export function gathered(
  output: { write(bytes: Buffer): unknown; flushSync(): void },
  process: Pick<NodeJS.Process, 'on'>,
): DestinationStream {
  let lines = '';
  const handOver = (): void => {
    if (lines === '') return;
    // As bytes: text would be encoded more than once on its way, and live until it is written.
    output.write(Buffer.from(lines));
    lines = '';
  };
  setInterval(handOver, LONGEST_WAIT_MS).unref();
  // After a fatal error as well: its own line is the one that matters most.
  process.on('exit', () => {
    handOver();
    output.flushSync();
  });
  return {
    write(line: string): void {
      lines += line;
      if (lines.length >= GATHERED_CHARACTERS) handOver();
    },
  };
}
