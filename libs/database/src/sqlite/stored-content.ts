import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Database as Connection, Statement } from 'better-sqlite3';

/** The layout of the write-ahead log is a file format of SQLite. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Where the header of a frame has a number that is one more in each log that is begun anew. */
const LOG_NUMBER = 8;
/** Other bytes are hardly ever that close to a number that began at random. */
const MAX_AHEAD = 1_000;

/** How far the log goes. */
interface LogState {
  readonly frames: number;
  /** Changes with each commit of another process. */
  readonly version: number;
}

/**
 * Detects that the write-ahead log or the file of an open database has lost what was written to it. SQLite does not
 * notice: it appends where the log ended. After a crash it reads the log up to the first gap, so everything that was
 * committed behind the gap would be lost.
 *
 * SQLite is asked how long the log is, as other processes may append to it, begin it anew and truncate it.
 */
export class StoredContent {
  /** SQLite holds no locks on the log. Closing a descriptor of a file would end its locks. */
  private readonly log: number;
  private readonly pageBytes: number;
  /** Returns whether SQLite cannot tell now, and the number of frames. Changes nothing. */
  private readonly readFrames: Statement<[], [busy: number, frames: number]>;
  private readonly readVersion: Statement<[], number>;
  private readonly readPages: Statement<[], number>;
  private last: LogState = { frames: 0, version: 0 };
  /** Contains a checksum of all frames up to the last. */
  private lastHeader = Buffer.alloc(FRAME_HEADER_BYTES);
  private header = Buffer.alloc(FRAME_HEADER_BYTES);
  private readonly fileNumber: number;
  private fileBytes: number;

  /** @param connection neither it nor another one of this process may have a transaction when a method is called */
  constructor(
    connection: Connection,
    private readonly file: string,
    private readonly logFile: string,
  ) {
    this.log = openSync(logFile, 'r');
    ({ ino: this.fileNumber, size: this.fileBytes } = statSync(file));
    this.pageBytes = connection.pragma('page_size', { simple: true }) as number;
    this.readFrames = connection.prepare<[], [number, number]>('PRAGMA wal_checkpoint(NOOP)').raw();
    this.readVersion = connection.prepare<[], number>('PRAGMA data_version').pluck();
    this.readPages = connection.prepare<[], number>('PRAGMA page_count').pluck();
  }

  close(): void {
    closeSync(this.log);
  }

  /**
   * What happened to the log or the file, as a message for the operator; null while they have everything. Call it before
   * and after each commit.
   * @throws the error of SQLite
   */
  damage(): string | null {
    return this.logDamage() ?? this.fileDamage();
  }

  private logDamage(): string | null {
    for (let state = this.logState(); ;) {
      const damage = this.logDamageAt(state);
      if (damage === null) return null;
      const now = this.logState();
      if (now.frames === state.frames && now.version === state.version) return damage;
      // Another process has changed the log in the meantime.
      state = now;
    }
  }

  private fileDamage(): string | null {
    const found = statSync(this.file, { throwIfNoEntry: false });
    // Another file in its place may come back.
    if (found?.ino !== this.fileNumber) return null;
    const isSmaller = found.size < this.fileBytes;
    this.fileBytes = found.size;
    // VACUUM makes a file smaller, down to its pages.
    const isCut = isSmaller && this.fileBytes < this.readPages.get()! * this.pageBytes;
    return isCut ? `${this.file} was cut` : null;
  }

  private logState(): LogState {
    const [busy, frames] = this.readFrames.get()!;
    // Another process repairs the index of the log. 0 frames can have no damage.
    return { frames: busy ? 0 : frames, version: this.readVersion.get()! };
  }

  private logDamageAt(state: LogState): string | null {
    if (fstatSync(this.log).size < this.endOf(state.frames)) return `${this.logFile} was cut`;
    const { last } = this;
    // Otherwise another process may have begun the log anew.
    const isComparable = state.version === last.version && state.frames >= last.frames;
    if (isComparable && last.frames > 0 && !this.continues(this.headerOf(last.frames))) {
      return `${this.logFile} was overwritten`;
    }
    this.last = state;
    if (state.frames > 0) this.lastHeader.set(this.headerOf(state.frames));
    return null;
  }

  /** Whether it is the header that was seen last, or of a log that this process has begun since. An older log is behind. */
  private continues(header: Buffer): boolean {
    const ahead = (header.readUInt32BE(LOG_NUMBER) - this.lastHeader.readUInt32BE(LOG_NUMBER)) >>> 0;
    return header.equals(this.lastHeader) || (ahead > 0 && ahead <= MAX_AHEAD);
  }

  private headerOf(frame: number): Buffer {
    readSync(
      this.log,
      this.header,
      0,
      FRAME_HEADER_BYTES,
      this.endOf(frame) - FRAME_HEADER_BYTES - this.pageBytes,
    );
    return this.header;
  }

  private endOf(frames: number): number {
    if (frames === 0) return 0;
    return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + this.pageBytes);
  }
}
