import type { IncomingMessage } from 'node:http';
import { generateApiKey, hashApiKey } from './api-key.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyStore, type StoredApiKey } from './api-key.store.js';

const ANNA = 'ask_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1kXNAO';
const BERT = 'ask_test_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB3rNRdb';
const CARL = 'ask_test_CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC36wiEM';

interface Facts {
  account: string;
  plan: string;
  perMinute: number;
  perDay: number;
  scopes?: string[];
}
type StoredKey = StoredApiKey<Facts>;

function aKey(text: string, facts: Partial<StoredKey> = {}): StoredKey {
  return {
    keyId: `key_${text.slice(9, 13)}`,
    account: 'zoo',
    plan: 'free',
    perMinute: 60,
    perDay: 1_000,
    hash: hashApiKey(text),
    expiresAtMs: null,
    revokedAtMs: null,
    ...facts,
  };
}

class StoreInMemory extends ApiKeyStore<Facts> {
  private readonly keys = new Map<string, StoredKey>();
  lookUps = 0;
  batches: number[] = [];
  isDown = false;
  /** Runs while the store is reading, after it has read. */
  meanwhile = () => {};

  put(key: StoredKey): StoredKey {
    this.keys.set(key.hash, key);
    return key;
  }

  remove(key: StoredKey): void {
    this.keys.delete(key.hash);
  }

  async findByHash(hash: string): Promise<StoredKey | null> {
    this.lookUps++;
    if (this.isDown) throw new Error('The database is gone.');
    const key = this.keys.get(hash) ?? null;
    this.meanwhile();
    return key;
  }

  override async findByHashes(hashes: readonly string[]): Promise<StoredKey[]> {
    this.batches.push(hashes.length);
    if (this.isDown) throw new Error('The database is gone.');
    return hashes.flatMap((hash) => this.keys.get(hash) ?? []);
  }
}

function withHeader(authorization: string): IncomingMessage {
  return { rawHeaders: ['Host', 'localhost', 'Authorization', authorization] } as IncomingMessage;
}

function withKey(text: string): IncomingMessage {
  return withHeader(`Bearer ${text}`);
}

describe('ApiKeyAuthenticator', () => {
  let store: StoreInMemory;
  let nowMs: number;
  let authenticator: ApiKeyAuthenticator;

  function anAuthenticator(maxCachedKeys?: number): ApiKeyAuthenticator {
    const made = new ApiKeyAuthenticator({
      prefix: 'ask_test_',
      store,
      realm: 'zoo',
      now: () => nowMs,
      maxCachedKeys,
    });
    made.apply([], nowMs);
    return made;
  }

  beforeEach(() => {
    store = new StoreInMemory();
    nowMs = 1_800_000_000_000;
    authenticator = anAuthenticator();
  });

  describe('a request with a key', () => {
    it('is the caller the store knows by the hash', async () => {
      store.put(aKey(ANNA, { plan: 'pro', perMinute: 300, perDay: 10_000 }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toEqual({
        keyId: 'key_AAAA',
        account: 'zoo',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
      });
    });

    it('is found without a promise from the second time on, as the same caller', async () => {
      store.put(aKey(ANNA));
      const first = await authenticator.authenticate(withKey(ANNA));
      const second = authenticator.authenticate(withKey(ANNA));
      expect(second).toBe(first);
      expect(store.lookUps).toBe(1);
    });

    it('is known however the scheme is written', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      await authenticator.authenticate(withHeader(`bearer  ${ANNA}`));
      expect(store.lookUps).toBe(1);
    });

    it('shares one look-up with the others that come at the same time', async () => {
      store.put(aKey(ANNA));
      const callers = await Promise.all([1, 2, 3].map(async () => authenticator.authenticate(withKey(ANNA))));
      expect(store.lookUps).toBe(1);
      expect(new Set(callers).size).toBe(1);
    });

    it('is refused with a second Authorization header, though the key is known', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      const rawHeaders = ['Authorization', `Bearer ${ANNA}`, 'Authorization', `Bearer ${ANNA}`];
      expect(authenticator.authenticate({ rawHeaders } as IncomingMessage)).toBe('invalid');
    });
  });

  describe('a request without a valid key', () => {
    it('is missing one without the header', () => {
      expect(authenticator.authenticate({ rawHeaders: [] as string[] } as IncomingMessage)).toBe('missing');
    });

    it('costs no look-up when the key is malformed or of another environment', () => {
      expect(authenticator.authenticate(withKey('ask_test_nonsense'))).toBe('invalid');
      expect(authenticator.authenticate(withKey(ANNA.replace('test', 'live')))).toBe('invalid');
      expect(store.lookUps).toBe(0);
    });

    it('is looked up once a second when the key is unknown, so that a key made later works within one', async () => {
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
      store.put(aKey(ANNA));
      nowMs += 999;
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
      expect(store.lookUps).toBe(1);
      nowMs += 1;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });

    it('with an unknown key is not refused for longer because the clock was set back', async () => {
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
      store.put(aKey(ANNA));
      nowMs -= 3_600_000;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });

    it('is refused with a revoked key, whatever clock the revocation was stamped by', async () => {
      store.put(aKey(ANNA, { revokedAtMs: nowMs + 60_000 }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('gets the error of a store that cannot tell, and is asked again the next time', async () => {
      store.put(aKey(ANNA));
      store.isDown = true;
      await expect(authenticator.authenticate(withKey(ANNA))).rejects.toThrow('The database is gone.');
      store.isDown = false;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });
  });

  describe('an expiring key', () => {
    it('works until the last millisecond and not after', async () => {
      store.put(aKey(ANNA, { expiresAtMs: nowMs + 1_000 }));
      await authenticator.authenticate(withKey(ANNA));
      nowMs += 999;
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      nowMs += 1;
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('that has expired before its first use is refused', async () => {
      store.put(aKey(ANNA, { expiresAtMs: nowMs }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });
  });

  describe('a change', () => {
    it.each<Partial<StoredKey>>([
      { plan: 'pro' },
      { perMinute: 300 },
      { perDay: 5 },
      { account: 'farm' },
      { scopes: ['read'] },
    ])('to %j makes a new caller', async (fact) => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, fact)], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject(fact);
    });

    it('that changes no field leaves the caller object as it is', async () => {
      store.put(aKey(ANNA));
      const before = await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe(before);
    });

    it('to no scopes, from some, makes a new caller without them', async () => {
      store.put(aKey(ANNA, { scopes: ['read'] }));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).not.toHaveProperty('scopes');
    });

    it('to the same scopes in another array leaves the caller object as it is', async () => {
      store.put(aKey(ANNA, { scopes: ['read', 'write'] }));
      const before = await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { scopes: ['read', 'write'] })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe(before);
    });

    it('of revocation refuses the next request', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { revokedAtMs: nowMs })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('of the expiry counts from then on', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { expiresAtMs: nowMs })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('of a key that nobody used is not cached', async () => {
      authenticator.apply([aKey(ANNA)], nowMs);
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('that arrives while the store is read is not overwritten by what was read before', async () => {
      store.put(aKey(ANNA));
      store.meanwhile = () => authenticator.apply([aKey(ANNA, { revokedAtMs: nowMs })], nowMs);
      await authenticator.authenticate(withKey(ANNA));
      store.put(aKey(ANNA, { revokedAtMs: nowMs }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });
  });

  describe('the cache', () => {
    beforeEach(async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
    });

    it('is trusted for 5 seconds after it was confirmed', () => {
      nowMs += 5_000;
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      expect(store.lookUps).toBe(1);
    });

    it('is looked up for each request after that, so that a revocation counts all the same', async () => {
      nowMs += 5_001;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
      store.put(aKey(ANNA, { revokedAtMs: nowMs }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('is trusted again once it is confirmed', () => {
      nowMs += 60_000;
      authenticator.apply([], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
    });

    it('opens no door when the store is gone', async () => {
      nowMs += 5_001;
      store.isDown = true;
      await expect(authenticator.authenticate(withKey(ANNA))).rejects.toThrow('The database is gone.');
    });

    it('is not trusted for longer because the clock was set back', async () => {
      nowMs -= 3_600_000;
      await authenticator.authenticate(withKey(ANNA));
      expect(store.lookUps).toBe(2);
    });

    it('is the same caller when it is looked up again', async () => {
      const before = authenticator.authenticate(withKey(ANNA));
      nowMs += 5_001;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe(before);
    });

    it('is forgotten when the store no longer has the key', async () => {
      store.remove(aKey(ANNA));
      nowMs += 5_001;
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([], nowMs);
      expect(await authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('is looked up before anything was ever confirmed', async () => {
      const unconfirmed = new ApiKeyAuthenticator({
        prefix: 'ask_test_',
        store,
        realm: 'zoo',
        now: () => nowMs,
      });
      await unconfirmed.authenticate(withKey(ANNA));
      await unconfirmed.authenticate(withKey(ANNA));
      expect(store.lookUps).toBe(3);
    });
  });

  describe('a full memory', () => {
    it('pushes out the key that came first, which then costs one look-up', async () => {
      authenticator = anAuthenticator(2);
      for (const text of [ANNA, BERT, CARL]) {
        store.put(aKey(text));
        await authenticator.authenticate(withKey(text));
      }
      expect(authenticator.authenticate(withKey(BERT))).toMatchObject({ keyId: 'key_BBBB' });
      expect(authenticator.authenticate(withKey(CARL))).toMatchObject({ keyId: 'key_CCCC' });
      expect(store.lookUps).toBe(3);
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
      expect(store.lookUps).toBe(4);
    });

    it('goes on pushing out the eldest, round after round', async () => {
      authenticator = anAuthenticator(1);
      for (const text of [ANNA, BERT, ANNA, BERT, ANNA]) {
        store.put(aKey(text));
        await authenticator.authenticate(withKey(text));
      }
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      await authenticator.authenticate(withKey(BERT));
      expect(store.lookUps).toBe(6);
    });

    it('has no place for a pushed out key only because the key changes', async () => {
      authenticator = anAuthenticator(1);
      for (const text of [ANNA, BERT]) {
        store.put(aKey(text));
        await authenticator.authenticate(withKey(text));
      }
      authenticator.apply([aKey(ANNA, { plan: 'pro' })], nowMs);
      expect(authenticator.authenticate(withKey(BERT))).toMatchObject({ keyId: 'key_BBBB' });
      expect(store.lookUps).toBe(2);
      await authenticator.authenticate(withKey(ANNA));
      expect(store.lookUps).toBe(3);
    });

    it('has to hold one key at least', () => {
      expect(() => anAuthenticator(0)).toThrow('maxCachedKeys must be at least 1.');
    });
  });

  describe('a request whose key is to be looked up sparingly', () => {
    /** Keys that no store knows. */
    const guesses = Array.from({ length: 1_500 }, () => generateApiKey('ask_test_'));
    let sparing: ApiKeyAuthenticator;

    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['queueMicrotask'] });
      sparing = new ApiKeyAuthenticator({
        prefix: 'ask_test_',
        store,
        realm: 'zoo',
        now: () => nowMs,
        looksUpSparingly: () => true,
      });
      sparing.apply([], nowMs);
    });

    afterEach(() => jest.useRealTimers());

    it('shares a statement with all that come at the same time', async () => {
      store.put(aKey(ANNA));
      const outcomes = [...guesses.slice(0, 500), ANNA].map(async (key) =>
        sparing.authenticate(withKey(key)),
      );
      await jest.advanceTimersByTimeAsync(1);

      const settled = await Promise.all(outcomes);
      expect(settled.slice(0, 500).every((outcome) => outcome === 'invalid')).toBe(true);
      expect(settled[500]).toMatchObject({ keyId: 'key_AAAA' });
      expect(store.batches).toEqual([501]);
      expect(store.lookUps).toBe(0);
    });

    it('waits for the next of four statements a second, however many come', async () => {
      const outcomes: Promise<unknown>[] = [];
      for (const [index, guess] of guesses.entries()) {
        outcomes.push(Promise.resolve(sparing.authenticate(withKey(guess))));
        if (index % 100 === 99) await jest.advanceTimersByTimeAsync(200);
      }
      await jest.advanceTimersByTimeAsync(250);
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['invalid']));
      // Three seconds and a quarter.
      expect(store.batches.length).toBeLessThanOrEqual(14);
    });

    it('gets in with a valid key within half a second, though a thousand guesses wait with it', async () => {
      store.put(aKey(ANNA));
      for (const guess of guesses.slice(0, 500)) void sparing.authenticate(withKey(guess));
      await jest.advanceTimersByTimeAsync(1);
      for (const guess of guesses.slice(500, 1_400)) void sparing.authenticate(withKey(guess));
      const anna = Promise.resolve(sparing.authenticate(withKey(ANNA)));

      await jest.advanceTimersByTimeAsync(300);
      await expect(anna).resolves.toMatchObject({ keyId: 'key_AAAA' });
      expect(sparing.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
    });

    it('is not looked up at all when a thousand keys wait', async () => {
      const outcomes = guesses.slice(0, 1_001).map((guess) => sparing.authenticate(withKey(guess)));
      expect(outcomes[999]).toBeInstanceOf(Promise);
      expect(outcomes[1_000]).toBe('unchecked');
      await jest.advanceTimersByTimeAsync(1);
      expect(store.batches).toEqual([1_000]);
    });

    it('gets the error of a store that cannot tell, and is asked again', async () => {
      store.put(aKey(ANNA));
      store.isDown = true;
      const failed = expect(sparing.authenticate(withKey(ANNA))).rejects.toThrow('The database is gone.');
      await jest.advanceTimersByTimeAsync(250);
      await failed;

      store.isDown = false;
      const anna = sparing.authenticate(withKey(ANNA));
      await jest.advanceTimersByTimeAsync(1);
      await expect(anna).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });

    it('is looked up at once when the key was valid a moment ago', async () => {
      store.put(aKey(ANNA));
      const anna = sparing.authenticate(withKey(ANNA));
      await jest.advanceTimersByTimeAsync(1);
      await anna;
      for (const guess of guesses.slice(0, 10)) void sparing.authenticate(withKey(guess));

      nowMs += 6_000;
      await expect(sparing.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
      expect(store.lookUps).toBe(1);
    });
  });
});
