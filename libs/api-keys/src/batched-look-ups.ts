import type { ApiKeyStore, StoredApiKey } from './api-key.store.js';

/** Four statements a second: few enough for any store, and hardly noticeable for a waiting key. */
const EVERY_MS = 250;
/** The maximum of hashes per statement, so that a statement is neither long nor slow. */
const MOST_HASHES = 1_000;

/** The result of a look-up. */
export interface LookUp {
  readonly key: StoredApiKey | null;
  /** The value of `mark` just before the store was read. */
  readonly mark: number;
}

interface WaitingKey {
  readonly found: Promise<LookUp>;
  readonly resolve: (lookUp: LookUp) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Look-ups that cost the store a few statements a second, however many there are: all that arrive during a rest share
 * the next statement. The first one after a rest does not wait.
 */
export class BatchedLookUps {
  private waiting = new Map<string, WaitingKey>();
  private isBusy = false;

  constructor(
    private readonly store: ApiKeyStore,
    private readonly mark: () => number,
  ) {}

  /** Looks up the key with this hash, as `ApiKeyStore.findByHash` does; null at once when too many others wait. */
  find(hash: string): Promise<LookUp> | null {
    let key = this.waiting.get(hash);
    if (key === undefined) {
      if (this.waiting.size >= MOST_HASHES) return null;
      key = aWaitingKey();
      this.waiting.set(hash, key);
      if (!this.isBusy) void this.work();
    }
    return key.found;
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    // Waits one turn of the event loop, so that keys arriving with the first one join it.
    await new Promise(setImmediate);
    while (this.waiting.size > 0) {
      const batch = this.waiting;
      this.waiting = new Map();
      await Promise.all([this.resolve(batch), rest()]);
    }
    this.isBusy = false;
  }

  private async resolve(batch: ReadonlyMap<string, WaitingKey>): Promise<void> {
    const mark = this.mark();
    try {
      const found = new Map<string, StoredApiKey>();
      for (const key of await this.store.findByHashes([...batch.keys()])) found.set(key.hash, key);
      for (const [hash, { resolve }] of batch) resolve({ key: found.get(hash) ?? null, mark });
    } catch (cause) {
      for (const { reject } of batch.values()) reject(cause);
    }
  }
}

function aWaitingKey(): WaitingKey {
  let resolve!: WaitingKey['resolve'];
  let reject!: WaitingKey['reject'];
  const found = new Promise<LookUp>((...settle) => ([resolve, reject] = settle));
  return { found, resolve, reject };
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, EVERY_MS).unref());
}
