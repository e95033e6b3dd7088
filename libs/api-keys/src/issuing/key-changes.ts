import { ChangeFeed } from '@animal-store/kernel';
import type { StoredApiKey } from '../api-key.store.js';
import type { ManagedKey } from './managed-key.js';
import type { ManagedKeyStore } from './managed-key.store.js';

/** What applies changes: an `ApiKeyAuthenticator`. */
interface Applies {
  apply(changed: readonly StoredApiKey[], asOfMs: number): void;
}

/** Reads which keys any process has changed, and applies that to the keys that this one has cached. */
export class KeyChanges<Key extends ManagedKey> {
  private readonly feed: ChangeFeed<Key>;
  private asOfMs = -Infinity;
  /** The time up to which every change is known to have been read. */
  private confirmedAsOfMs = -Infinity;

  constructor(
    store: Pick<ManagedKeyStore<Key>, 'latestChangeMs' | 'changedAfter'>,
    authenticator: Applies,
    private readonly now: () => number,
    toStored: (key: Key) => StoredApiKey,
  ) {
    this.feed = new ChangeFeed(store, (changed, isLast) => {
      // A key that is revoked among the next changes must not be confirmed.
      if (isLast) this.confirmedAsOfMs = this.asOfMs;
      authenticator.apply(changed.map(toStored), this.confirmedAsOfMs);
    });
  }

  /** Call it about once a second, never twice at a time. */
  read(): Promise<void> {
    this.asOfMs = this.now();
    return this.feed.read();
  }
}
