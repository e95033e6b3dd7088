import {
  type BigIntStats,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Only the owner may read the database. SQLite gives `-wal` and `-shm` the mode of the database file. */
const OWNER_ONLY = 0o600;

/**
 * Creates the database file and its folders, unless they exist.
 * @throws when the name belongs to something other than a file, or a folder cannot be created.
 */
export function prepareFile(file: string): void {
  createFolder(dirname(resolve(file)));
  createFile(file);
}

/** Creates an empty file that only its owner may read, unless it exists. */
export function createFile(file: string): void {
  // Never opens an existing file: closing it would release the locks that SQLite has on it for this process.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'wx', OWNER_ONLY));
  // Reading a pipe or a device may block forever.
  else if (!found.isFile()) throw new Error(`${file} is not a regular file`);
}

/** Folder by folder: `mkdir` with `recursive` never returns where no folder can be created, as below /proc. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder);
}

/** Detects whether the files of an open database are still the ones that were opened. */
export class OpenedFiles {
  /** The write-ahead log. */
  readonly log: string;
  /** The sizes of the file and its log when they were checked last. */
  readonly sizes = { fileBytes: 0, logBytes: 0 };
  private readonly opened: ReadonlyMap<string, string>;

  /**
   * @param file an open database, so that its write-ahead log exists.
   * @param others further files that must stay.
   */
  constructor(
    readonly file: string,
    others: readonly string[],
  ) {
    // SQLite resolves links before it names the write-ahead log and its index.
    const name = realpathSync(file);
    this.log = `${name}-wal`;
    const names = [file, this.log, `${name}-shm`, ...others];
    this.opened = new Map(names.map((each) => [each, identityOf(statOf(each))]));
    this.problem();
  }

  /** The size of the write-ahead log; null when it was deleted. */
  get logBytes(): number | null {
    const found = statOf(this.log);
    return found ? Number(found.size) : null;
  }

  /** What may still be written to the disk of the files; null when they were deleted. */
  get freeDiskBytes(): number | null {
    if (this.logBytes === null) return null;
    const { bavail, bsize } = statfsSync(this.log);
    return bavail * bsize;
  }

  /**
   * What happened to the files, as a message for the operator; null while they are unchanged. Takes a few microseconds.
   */
  problem(): string | null {
    for (const [name, opened] of this.opened) {
      const found = statOf(name);
      if (identityOf(found) !== opened) return `${name} ${found ? 'was replaced' : 'was deleted'}`;
      if (name === this.file) this.sizes.fileBytes = Number(found!.size);
      if (name === this.log) this.sizes.logBytes = Number(found!.size);
    }
    return null;
  }
}

function statOf(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A parent folder may have become inaccessible.
    return undefined;
  }
}

/** Device and inode. While a file is open, no other file gets its inode, even after it is deleted. */
function identityOf(found: BigIntStats | undefined): string {
  return found ? `${found.dev} ${found.ino}` : 'gone';
}
