import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What the service stores is nobody else's to read. SQLite gives `-wal` and `-shm` the mode of the database file. */
const OWNER_ONLY = 0o600;

/**
 * Creates the database file with its folders, unless it is there.
 * @throws when there is something else of that name, or no such folder can be made.
 */
export function prepareFile(file: string): void {
  createFolder(dirname(resolve(file)));
  createFile(file);
}

/** An empty file that its owner alone may read, unless there is one. */
export function createFile(file: string): void {
  // Never opens a file that is there: to close it would end the locks that SQLite has on it for this process.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'wx', OWNER_ONLY));
  // A pipe or a device may make whoever reads it wait for ever.
  else if (!found.isFile()) throw new Error(`${file} is not a regular file`);
}

/** Folder by folder: `mkdir` with `recursive` tries for ever where no folder can be made, as below /proc. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder);
}

/** Tells whether the files of an open database are still the ones that were opened. */
export class OpenedFiles {
  private readonly opened: ReadonlyMap<string, string>;
  private readonly log: string;

  /**
   * @param file a database that is open, so that its write-ahead log is there.
   * @param others what must stay beside it.
   */
  constructor(file: string, others: readonly string[]) {
    // SQLite resolves links before it names the write-ahead log.
    this.log = `${realpathSync(file)}-wal`;
    const names = [file, this.log, ...others];
    this.opened = new Map(names.map((name) => [name, identityOf(name)]));
  }

  /** The length of the write-ahead log; null when it is gone. */
  get logBytes(): number | null {
    return statSync(this.log, { throwIfNoEntry: false })?.size ?? null;
  }

  /** What happened to them, for the operator to read; null while nothing did. Takes some microseconds. */
  problem(): string | null {
    for (const [name, opened] of this.opened) {
      const found = identityOf(name);
      if (found !== opened) return `${name} ${found === GONE ? 'was deleted' : 'was replaced'}`;
    }
    return null;
  }
}

const GONE = 'gone';

/** While a file is open, no other one gets its number, even after it is deleted. */
function identityOf(name: string): string {
  try {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev} ${found.ino}` : GONE;
  } catch {
    // A folder on the way may not be entered any more.
    return GONE;
  }
}
