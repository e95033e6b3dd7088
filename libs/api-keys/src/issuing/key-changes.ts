import type { StoredApiKey } from '../api-key.store.js';
import type { ManagedKey } from './managed-key.js';
import type { ManagedKeyStore } from './managed-key.store.js';

/** At most so many changes are read by one statement and in memory at a time: a script may have changed every key. */
const CHANGES_A_READ = 1_000;

/** What applies changes: an `ApiKeyAuthenticator`. */
interface Applies {
  apply(changed: readonly StoredApiKey[], asOfMs: number): void;
}

/**
 * Reads which keys any process has changed, and applies that to the keys that this one has cached. It compares only the
 * times of changes, never the clock of this host, which may differ from that of the host that made the change.
 */
export class KeyChanges<Key extends ManagedKey> {
  private readUpToMs: number | null = null;
  /** The time up to which every change is known to have been read. */
  private confirmedAsOfMs = -Infinity;

  constructor(
    private readonly store: Pick<ManagedKeyStore<Key>, 'latestChangeMs' | 'changedAfter'>,
    private readonly authenticator: Applies,
    private readonly now: () => number,
    private readonly toStored: (key: Key) => StoredApiKey,
  ) {}

  /** Call it about once a second, never twice at a time. */
  async read(): Promise<void> {
    const asOfMs = this.now();
    this.readUpToMs ??= (await this.store.latestChangeMs()) ?? 0;
    let isLast = false;
    while (!isLast) {
      const changed = await this.store.changedAfter(this.readUpToMs, CHANGES_A_READ);
      isLast = changed.length < CHANGES_A_READ;
      // A key that is revoked among the next changes must not be confirmed.
      if (isLast) this.confirmedAsOfMs = asOfMs;
      this.authenticator.apply(changed.map(this.toStored), this.confirmedAsOfMs);
      this.readUpToMs = changed.at(-1)?.changedAtMs ?? this.readUpToMs;
    }
  }
}
