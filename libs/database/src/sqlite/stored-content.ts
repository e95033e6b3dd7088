import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';

/** The layouts of the write-ahead log and of its index are file formats of SQLite. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The index begins with twelve numbers of 32 bits, twice. They differ while a process changes them. */
const INDEX_NUMBERS = 12;
const INDEX_FORMAT = 3_007_000;
/** Where they have a count of commits, the last frame, the pages of the database, the checksum of that frame, and the log. */
const COMMITS = 2;
const FRAMES = 4;
const PAGES = 5;
const CHECKSUM = 6;
const LOG = 8;
const LOG_BYTES = 8;

/** Where the header of a frame has the numbers of its log, and the checksum of all frames up to it. */
const LOG_OF_FRAME = 8;
const CHECKSUM_OF_FRAME = 16;

/**
 * Detects that the write-ahead log or the file of an open database has lost what was written to it. SQLite does not
 * notice: it appends where the log ended. After a crash it reads the log up to the first gap, so everything that was
 * committed behind the gap would be lost.
 *
 * How far the log should go is in its index, also when another process has appended to it, begun it anew or truncated it.
 * The index is read from its file, as asking SQLite costs each commit more (decision 2).
 */
export class StoredContent {
  private readonly log: number;
  private readonly indexFile: number;
  private readonly index = new Uint32Array(2 * INDEX_NUMBERS);
  private readonly repeatedIndex = this.index.subarray(INDEX_NUMBERS);
  private readonly logOfIndex = Buffer.from(this.index.buffer, 4 * LOG, LOG_BYTES);
  private readonly lastIndex = new Uint32Array(INDEX_NUMBERS);
  private frame: Buffer;
  private lastFrame: Buffer;
  private readonly earlierFrame: Buffer;

  /**
   * @param file an open database, and its log and the index of it
   * @param fileBytes the size of the file
   */
  constructor(
    private readonly file: string,
    private readonly logFile: string,
    indexFile: string,
    private readonly pageBytes: number,
    private fileBytes: number,
  ) {
    this.log = openSync(logFile, 'r');
    this.indexFile = openSync(indexFile, 'r');
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    this.frame = Buffer.alloc(frameBytes);
    this.lastFrame = Buffer.alloc(frameBytes);
    this.earlierFrame = Buffer.alloc(frameBytes);
    this.readIndex();
    if (this.index[0] !== INDEX_FORMAT)
      throw new Error(`${basename(indexFile)} is of a version of SQLite that this one does not know`);
  }

  /** How many pages are in the log. */
  get loggedPages(): number {
    return this.lastIndex[FRAMES]!;
  }

  /** Call it when the database is closed: closing a file ends the locks that SQLite holds on it for this process. */
  close(): void {
    closeSync(this.log);
    closeSync(this.indexFile);
  }

  /**
   * What happened to the log or the file, as a message for the operator; null while they have everything. Call it after
   * each commit.
   * @param fileBytes the size of the file now
   */
  damage(fileBytes: number): string | null {
    while (this.readIndex()) {
      if (this.isLogWhole()) return this.fileDamage(fileBytes);
      const index = this.index.slice();
      // Otherwise another process has changed the log in the meantime.
      if (this.readIndex() && areEqual(index, this.index)) return `${this.logFile} was cut or overwritten`;
    }
    return null;
  }

  /** @returns whether no process changes it at this moment */
  private readIndex(): boolean {
    const { index } = this;
    readSync(this.indexFile, index, 0, index.byteLength, 0);
    return areEqual(index, this.repeatedIndex);
  }

  private isLogWhole(): boolean {
    const { index, frame, lastFrame, earlierFrame } = this;
    const frames = index[FRAMES]!;
    if (frames === 0) return true;
    if (!this.read(frame, frames) || !this.isLast(frame)) return false;
    const lastFrames = this.lastIndex[FRAMES]!;
    // What this process has written stands behind the frame that was the last one.
    if (lastFrames === 0 || lastFrames === frames || !this.isSameLog()) return true;
    return this.read(earlierFrame, lastFrames) && earlierFrame.equals(lastFrame);
  }

  /** @returns whether the log goes as far */
  private read(into: Buffer, frame: number): boolean {
    const position = LOG_HEADER_BYTES + (frame - 1) * into.length;
    return readSync(this.log, into, 0, into.length, position) === into.length;
  }

  private isLast(frame: Buffer): boolean {
    const { index } = this;
    return (
      frame.readUInt32BE(CHECKSUM_OF_FRAME) === index[CHECKSUM] &&
      frame.readUInt32BE(CHECKSUM_OF_FRAME + 4) === index[CHECKSUM + 1] &&
      frame.compare(this.logOfIndex, 0, LOG_BYTES, LOG_OF_FRAME, LOG_OF_FRAME + LOG_BYTES) === 0
    );
  }

  /** Whether the log was not begun anew. */
  private isSameLog(): boolean {
    const { index, lastIndex } = this;
    return index[LOG] === lastIndex[LOG] && index[LOG + 1] === lastIndex[LOG + 1];
  }

  private fileDamage(fileBytes: number): string | null {
    const { index, lastIndex, frame, lastFrame } = this;
    const isSmaller = fileBytes < this.fileBytes;
    // A VACUUM of another process makes the file smaller. The pages of a later commit are in the log at first.
    const hasOneCommit = index[COMMITS]! - lastIndex[COMMITS]! <= 1;
    const leastPages = Math.min(lastIndex[PAGES]!, index[PAGES]!);
    const isCut = isSmaller && hasOneCommit && fileBytes < leastPages * this.pageBytes;
    this.fileBytes = fileBytes;
    lastIndex.set(this.repeatedIndex);
    this.lastFrame = frame;
    this.frame = lastFrame;
    return isCut ? `${this.file} was cut` : null;
  }
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  for (let number = 0; number < INDEX_NUMBERS; number++) if (a[number] !== b[number]) return false;
  return true;
}
