import type { IncomingMessage } from 'node:http';
import { generateApiKey, hashApiKey } from '../api-key.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyStore, type StoredApiKey } from '../api-key.store.js';

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
  /** Called when the store has read, before it returns. */
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
    it('gets the caller that the store has for the hash of the key', async () => {
      store.put(aKey(ANNA, { plan: 'pro', perMinute: 300, perDay: 10_000 }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toEqual({
        keyId: 'key_AAAA',
        account: 'zoo',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
      });
    });

    it('gets the same caller again from the cache, without a promise', async () => {
      store.put(aKey(ANNA));
      const first = await authenticator.authenticate(withKey(ANNA));
      const second = authenticator.authenticate(withKey(ANNA));
      expect(second).toBe(first);
      expect(store.lookUps).toBe(1);
    });

    it('may write the scheme in upper or lower case', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      await authenticator.authenticate(withHeader(`bearer  ${ANNA}`));
      expect(store.lookUps).toBe(1);
    });

    it('shares one look-up with requests that come at the same time', async () => {
      store.put(aKey(ANNA));
      const callers = await Promise.all([1, 2, 3].map(async () => authenticator.authenticate(withKey(ANNA))));
      expect(store.lookUps).toBe(1);
      expect(new Set(callers).size).toBe(1);
    });

    it('is refused with a second Authorization header, even when the key is cached', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      const rawHeaders = ['Authorization', `Bearer ${ANNA}`, 'Authorization', `Bearer ${ANNA}`];
      expect(authenticator.authenticate({ rawHeaders } as IncomingMessage)).toBe('invalid');
    });
  });

  describe('a request without a valid key', () => {
    it('is refused with missing_api_key without the header', () => {
      expect(authenticator.authenticate({ rawHeaders: [] as string[] } as IncomingMessage)).toBe('missing');
    });

    it('costs no look-up when the key is malformed or of another environment', () => {
      expect(authenticator.authenticate(withKey('ask_test_nonsense'))).toBe('invalid');
      expect(authenticator.authenticate(withKey(ANNA.replace('test', 'live')))).toBe('invalid');
      expect(store.lookUps).toBe(0);
    });

    it('costs one look-up a second when the key is unknown, so a key that is created later works within a second', async () => {
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
      store.put(aKey(ANNA));
      nowMs += 999;
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
      expect(store.lookUps).toBe(1);
      nowMs += 1;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });

    it('with an unknown key is not refused for longer after the clock was set back', async () => {
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
      store.put(aKey(ANNA));
      nowMs -= 3_600_000;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });

    it('is refused with a revoked key, even when the time of the revocation is in the future', async () => {
      store.put(aKey(ANNA, { revokedAtMs: nowMs + 60_000 }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('gets the error of a store that fails, and the next request asks the store again', async () => {
      store.put(aKey(ANNA));
      store.isDown = true;
      await expect(authenticator.authenticate(withKey(ANNA))).rejects.toThrow('The database is gone.');
      store.isDown = false;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
    });
  });

  describe('an expiring key', () => {
    it('works until the millisecond before its expiry', async () => {
      store.put(aKey(ANNA, { expiresAtMs: nowMs + 1_000 }));
      await authenticator.authenticate(withKey(ANNA));
      nowMs += 999;
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      nowMs += 1;
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('is refused when it expired before its first use', async () => {
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

    it('that changes no field does not make a new caller', async () => {
      store.put(aKey(ANNA));
      const before = await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe(before);
    });

    it('that removes the scopes makes a new caller without them', async () => {
      store.put(aKey(ANNA, { scopes: ['read'] }));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).not.toHaveProperty('scopes');
    });

    it('to equal scopes in another array does not make a new caller', async () => {
      store.put(aKey(ANNA, { scopes: ['read', 'write'] }));
      const before = await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { scopes: ['read', 'write'] })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe(before);
    });

    it('that revokes the key makes the next request fail', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { revokedAtMs: nowMs })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('of the expiry applies at once', async () => {
      store.put(aKey(ANNA));
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA, { expiresAtMs: nowMs })], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('does not cache a key that nobody has used', async () => {
      authenticator.apply([aKey(ANNA)], nowMs);
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('that arrives during a read of the store is not overwritten by the older result of the read', async () => {
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

    it('is used for 5 seconds after it was confirmed', () => {
      nowMs += 5_000;
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      expect(store.lookUps).toBe(1);
    });

    it('is not used after that: each request looks its key up, so a revocation still applies', async () => {
      nowMs += 5_001;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toMatchObject({ keyId: 'key_AAAA' });
      store.put(aKey(ANNA, { revokedAtMs: nowMs }));
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
    });

    it('is used again when it is confirmed', () => {
      nowMs += 60_000;
      authenticator.apply([], nowMs);
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
    });

    it('lets no request in after that when the store fails', async () => {
      nowMs += 5_001;
      store.isDown = true;
      await expect(authenticator.authenticate(withKey(ANNA))).rejects.toThrow('The database is gone.');
    });

    it('is not used for longer after the clock was set back', async () => {
      nowMs -= 3_600_000;
      await authenticator.authenticate(withKey(ANNA));
      expect(store.lookUps).toBe(2);
    });

    it('returns the same caller object after another look-up', async () => {
      const before = authenticator.authenticate(withKey(ANNA));
      nowMs += 5_001;
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe(before);
    });

    it('drops a key that the store no longer has', async () => {
      store.remove(aKey(ANNA));
      nowMs += 5_001;
      await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([], nowMs);
      expect(await authenticator.authenticate(withKey(ANNA))).toBe('invalid');
    });

    it('is not used before the first confirmation', async () => {
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

  describe('a full cache', () => {
    it('drops the oldest key, which then costs one look-up', async () => {
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

    it('drops the oldest key again for each further key', async () => {
      authenticator = anAuthenticator(1);
      for (const text of [ANNA, BERT, ANNA, BERT, ANNA]) {
        store.put(aKey(text));
        await authenticator.authenticate(withKey(text));
      }
      expect(authenticator.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
      await authenticator.authenticate(withKey(BERT));
      expect(store.lookUps).toBe(6);
    });

    it('does not cache a dropped key again when the key changes', async () => {
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

    it('must have room for at least one key', () => {
      expect(() => anAuthenticator(0)).toThrow('maxCachedKeys must be at least 1.');
    });
  });

  describe('a request whose key look-up is throttled', () => {
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
        throttleLookUps: () => true,
      });
      sparing.apply([], nowMs);
    });

    afterEach(() => jest.useRealTimers());

    it('shares one statement with all requests that come at the same time', async () => {
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

    it('waits for the next of four statements a second, however many requests come', async () => {
      const outcomes: Promise<unknown>[] = [];
      for (const [index, guess] of guesses.entries()) {
        outcomes.push(Promise.resolve(sparing.authenticate(withKey(guess))));
        if (index % 100 === 99) await jest.advanceTimersByTimeAsync(200);
      }
      await jest.advanceTimersByTimeAsync(250);
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['invalid']));
      // Four statements a second for 3.25 seconds, and one more.
      expect(store.batches.length).toBeLessThanOrEqual(14);
    });

    it('gets in with a valid key within half a second, even when a thousand guessed keys wait too', async () => {
      store.put(aKey(ANNA));
      for (const guess of guesses.slice(0, 500)) void sparing.authenticate(withKey(guess));
      await jest.advanceTimersByTimeAsync(1);
      for (const guess of guesses.slice(500, 1_400)) void sparing.authenticate(withKey(guess));
      const anna = Promise.resolve(sparing.authenticate(withKey(ANNA)));

      await jest.advanceTimersByTimeAsync(300);
      await expect(anna).resolves.toMatchObject({ keyId: 'key_AAAA' });
      expect(sparing.authenticate(withKey(ANNA))).toMatchObject({ keyId: 'key_AAAA' });
    });

    it('is refused without a look-up when a thousand keys already wait', async () => {
      const outcomes = guesses.slice(0, 1_001).map((guess) => sparing.authenticate(withKey(guess)));
      expect(outcomes[999]).toBeInstanceOf(Promise);
      expect(outcomes[1_000]).toBe('unchecked');
      await jest.advanceTimersByTimeAsync(1);
      expect(store.batches).toEqual([1_000]);
    });

    it('gets the error of a store that fails, and the next request asks the store again', async () => {
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

    it('does not wait when its key was valid a moment ago', async () => {
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
