import type { DestinationStream } from 'pino';

/** Gathering lines costs a third of handing each to the writer. */
const GATHERED_CHARACTERS = 8_192;
const LONGEST_WAIT_MS = 100;

/** Gathers lines for `output`, and hands over the rest when the process exits. */
export function gathered(
  output: { write(text: string): unknown; flushSync(): void },
  process: Pick<NodeJS.Process, 'on'>,
): DestinationStream {
  let lines = '';
  const handOver = (): void => {
    if (lines === '') return;
    output.write(lines);
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
