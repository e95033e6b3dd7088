import type { Writable } from 'node:stream';
import { inRootContext } from '@animal-store/kernel';

/** Lines are written in batches, as each write is a call of the system. */
const BATCH_CHARACTERS = 32_768;
const MAX_WAIT_MS = 100;

/** More unread bytes than this are dropped: a stalled reader must neither stop the service nor fill its memory. */
export const MAX_WAITING_BYTES = 16_777_216;

/**
 * Standard output for the log: writes many lines at a time and never waits for the reader. Node writes to pipes and
 * sockets without blocking, so a stalled reader cannot prevent the process from ending.
 */
export class StandardOutput {
  private text = '';
  private lines = 0;
  private timer: NodeJS.Timeout | undefined;
  /** The number of lines that were dropped. */
  droppedLines = 0;
  private unreported = 0;
  private recovered: (droppedLines: number) => void = () => undefined;

  constructor(
    private readonly output: Pick<Writable, 'write' | 'writableLength' | 'on'>,
    process: Pick<NodeJS.Process, 'on'>,
  ) {
    // The reader has ended or the disk is full. The callback of the failed write counts its lines.
    output.on('error', () => undefined);
    output.on('drain', () => this.reportDrops());
    // Runs after a fatal error, too, whose line matters most.
    process.on('exit', () => this.writeBatch());
  }

  /** Calls `report` with the number of dropped lines whenever lines can be written again. */
  onRecovery(report: (droppedLines: number) => void): void {
    this.recovered = report;
  }

  write(line: string): void {
    if (this.text === '')
      this.timer = inRootContext(() => setTimeout(() => this.writeBatch(), MAX_WAIT_MS).unref());
    this.text += line;
    this.lines++;
    if (this.text.length >= BATCH_CHARACTERS) this.writeBatch();
  }

  /** Resolves when everything is written, or after `limitMs`. */
  flush(limitMs: number): Promise<void> {
    this.writeBatch();
    if (this.output.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, limitMs);
      this.output.write('', () => {
        clearTimeout(deadline);
        resolve();
      });
    });
  }

  private writeBatch(): void {
    if (this.text === '') return;
    clearTimeout(this.timer);
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
    this.droppedLines += lines;
    this.unreported += lines;
  }

  private reportDrops(): void {
    if (this.unreported === 0) return;
    const lines = this.unreported;
    this.unreported = 0;
    this.recovered(lines);
  }
}
