import type { Writable } from 'node:stream';

/** One write for each line would cost as much as the rest of a request. */
const GATHERED_CHARACTERS = 32_768;
const LONGEST_WAIT_MS = 100;

/** Lines beyond this are dropped: a reader that stalls must neither stop the service nor fill its memory. */
export const MAX_WAITING_BYTES = 16_777_216;

/**
 * Standard output as the log uses it: many lines a write, and never waiting for whoever reads them. Node writes to pipes
 * and sockets without blocking, so a reader that stalls cannot keep the process from ending.
 */
export class StandardOutput {
  private text = '';
  private lines = 0;
  private dropped = 0;
  private unreported = 0;
  private recovered: (droppedLines: number) => void = () => undefined;

  constructor(
    private readonly output: Pick<Writable, 'write' | 'writableLength' | 'on'>,
    process: Pick<NodeJS.Process, 'on'>,
  ) {
    // The reader is gone, or the disk is full: the write that failed counts its lines.
    output.on('error', () => undefined);
    output.on('drain', () => this.reportDrops());
    setInterval(() => this.handOver(), LONGEST_WAIT_MS).unref();
    // After a fatal error as well: its own line is the one that matters most.
    process.on('exit', () => this.handOver());
  }

  /** Lines that nobody will read. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** Calls `report` with the number of dropped lines whenever lines can be written again. */
  onRecovery(report: (droppedLines: number) => void): void {
    this.recovered = report;
  }

  write(line: string): void {
    this.text += line;
    this.lines++;
    if (this.text.length >= GATHERED_CHARACTERS) this.handOver();
  }

  /** Resolves when everything is written, or after `limitMs`. */
  flush(limitMs: number): Promise<void> {
    this.handOver();
    if (this.output.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, limitMs);
      this.output.write('', () => {
        clearTimeout(deadline);
        resolve();
      });
    });
  }

  private handOver(): void {
    if (this.text === '') return;
    const { lines } = this;
    const bytes = Buffer.from(this.text);
    this.text = '';
    this.lines = 0;
    if (this.output.writableLength + bytes.length > MAX_WAITING_BYTES) return this.drop(lines);
    this.output.write(bytes, (error) => {
      if (error) this.drop(lines);
    });
  }

  private drop(lines: number): void {
    this.dropped += lines;
    this.unreported += lines;
  }

  private reportDrops(): void {
    if (this.unreported === 0) return;
    const lines = this.unreported;
    this.unreported = 0;
    this.recovered(lines);
  }
}
