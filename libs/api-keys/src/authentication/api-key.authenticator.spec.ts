import type { IncomingMessage } from 'node:http';
import { generateApiKey, hashApiKey } from '../api-key.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import type { ApiKeysOptions } from '../api-keys.options.js';
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

  function anUnconfirmed(options: Partial<ApiKeysOptions> = {}): ApiKeyAuthenticator {
    return new ApiKeyAuthenticator({
      prefix: 'ask_test_',
      store,
      realm: 'zoo',
      now: () => nowMs,
      ...options,
    });
  }

  function anAuthenticator(options: Partial<ApiKeysOptions> = {}): ApiKeyAuthenticator {
    const made = anUnconfirmed(options);
    made.apply([], nowMs);
    return made;
  }

  const authenticate = (text = ANNA) => authenticator.authenticate(withKey(text));
  const LET_IN = { keyId: 'key_AAAA' };

  beforeEach(() => {
    store = new StoreInMemory();
    nowMs = 1_800_000_000_000;
    authenticator = anAuthenticator();
  });

  describe('a request with a key', () => {
    it('gets the caller that the store has for the hash of the key', async () => {
      store.put(aKey(ANNA, { plan: 'pro', perMinute: 300, perDay: 10_000 }));
      expect(await authenticate()).toEqual({
        keyId: 'key_AAAA',
        account: 'zoo',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
      });
    });

    it('gets the same caller again from the cache, without a promise', async () => {
      store.put(aKey(ANNA));
      const first = await authenticate();
      const second = authenticate();
      expect(second).toBe(first);
      expect(store.lookUps).toBe(1);
    });

    it('may write the scheme in upper or lower case', async () => {
      store.put(aKey(ANNA));
      await authenticate();
      await authenticator.authenticate(withHeader(`bearer  ${ANNA}`));
      expect(store.lookUps).toBe(1);
    });

    it('shares one look-up with requests that come at the same time', async () => {
      store.put(aKey(ANNA));
      const callers = await Promise.all([1, 2, 3].map(async () => authenticate()));
      expect(store.lookUps).toBe(1);
      expect(new Set(callers).size).toBe(1);
    });

    it('is refused with a second Authorization header, even when the key is cached', async () => {
      store.put(aKey(ANNA));
      await authenticate();
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
      expect(await authenticate()).toBe('invalid');
      store.put(aKey(ANNA));
      nowMs += 999;
      expect(authenticate()).toBe('invalid');
      expect(store.lookUps).toBe(1);
      nowMs += 1;
      expect(await authenticate()).toMatchObject(LET_IN);
    });

    it('with an unknown key is not refused for longer after the clock was set back', async () => {
      expect(await authenticate()).toBe('invalid');
      store.put(aKey(ANNA));
      nowMs -= 3_600_000;
      expect(await authenticate()).toMatchObject(LET_IN);
    });

    it('is refused with a revoked key, even when the time of the revocation is in the future', async () => {
      store.put(aKey(ANNA, { revokedAtMs: nowMs + 60_000 }));
      expect(await authenticate()).toBe('invalid');
    });

    it('gets the error of a store that fails, and the next request queries the store again', async () => {
      store.put(aKey(ANNA));
      store.isDown = true;
      await expect(authenticate()).rejects.toThrow('The database is gone.');
      store.isDown = false;
      expect(await authenticate()).toMatchObject(LET_IN);
    });
  });

  describe('the first use of a key on a UTC day', () => {
    const DAY_MS = 86_400_000;
    const TODAY = 20_833;
    let noted: [keyId: string, day: number][];
    let accepts: boolean;

    beforeEach(() => {
      noted = [];
      accepts = true;
      authenticator = anAuthenticator({
        onFirstUseOfDay: (keyId, day) => {
          noted.push([keyId, day]);
          return accepts;
        },
      });
      store.put(aKey(ANNA));
    });

    it('is reported once, whether the key was looked up or cached', async () => {
      await Promise.all([authenticate(), authenticate()]);
      await authenticate();
      authenticator.apply([aKey(ANNA)], nowMs);
      await authenticate();
      expect(noted).toEqual([['key_AAAA', TODAY]]);
    });

    it('is reported again on the next day, from its first millisecond on', async () => {
      await authenticate();
      nowMs = (TODAY + 1) * DAY_MS - 1;
      authenticator.apply([], nowMs);
      await authenticate();
      expect(noted).toHaveLength(1);
      nowMs++;
      expect(authenticate()).toMatchObject(LET_IN);
      expect(noted).toEqual([
        ['key_AAAA', TODAY],
        ['key_AAAA', TODAY + 1],
      ]);
    });

    it('is reported with each request until it is noted', async () => {
      accepts = false;
      for (let count = 0; count < 3; count++) await authenticate();
      accepts = true;
      for (let count = 0; count < 3; count++) await authenticate();
      expect(noted).toHaveLength(4);
    });

    it('is none for a key that is unknown, revoked or expired, also when it is cached', async () => {
      store.put(aKey(BERT, { revokedAtMs: 0 }));
      store.put(aKey(CARL, { expiresAtMs: nowMs }));
      for (const text of [BERT, CARL, BERT, 'ask_test_nonsense']) await authenticate(text);
      await authenticate();
      authenticator.apply([aKey(ANNA, { revokedAtMs: 0 })], nowMs);
      nowMs += 1_000;
      expect(authenticate()).toBe('invalid');
      expect(noted).toEqual([['key_AAAA', TODAY]]);
    });

    it('is none by a check of an open response', async () => {
      await authenticator.recheck([ANNA]);
      expect(noted).toEqual([]);
    });
  });

  describe('an expiring key', () => {
    it('works until the millisecond before its expiry', async () => {
      store.put(aKey(ANNA, { expiresAtMs: nowMs + 1_000 }));
      await authenticate();
      nowMs += 999;
      expect(authenticate()).toMatchObject(LET_IN);
      nowMs += 1;
      expect(authenticate()).toBe('invalid');
    });

    it('is refused when it expired before its first use', async () => {
      store.put(aKey(ANNA, { expiresAtMs: nowMs }));
      expect(await authenticate()).toBe('invalid');
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
      await authenticate();
      authenticator.apply([aKey(ANNA, fact)], nowMs);
      expect(authenticate()).toMatchObject(fact);
    });

    it.each<[string, () => Partial<StoredKey>]>([
      ['that changes no field', () => ({})],
      ['to equal scopes in another array', () => ({ scopes: ['read', 'write'] })],
    ])('%s does not make a new caller', async (_, facts) => {
      store.put(aKey(ANNA, facts()));
      const before = await authenticate();
      authenticator.apply([aKey(ANNA, facts())], nowMs);
      expect(authenticate()).toBe(before);
    });

    it('that removes the scopes makes a new caller without them', async () => {
      store.put(aKey(ANNA, { scopes: ['read'] }));
      await authenticate();
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(authenticate()).not.toHaveProperty('scopes');
    });

    it.each(['revokedAtMs', 'expiresAtMs'])('of %s to now makes the next request fail', async (fact) => {
      store.put(aKey(ANNA));
      await authenticate();
      authenticator.apply([aKey(ANNA, { [fact]: nowMs })], nowMs);
      expect(authenticate()).toBe('invalid');
    });

    it('does not cache a key that nobody has used', async () => {
      authenticator.apply([aKey(ANNA)], nowMs);
      expect(await authenticate()).toBe('invalid');
    });

    it('that arrives during a read of the store is not overwritten by the older result of the read', async () => {
      store.put(aKey(ANNA));
      store.meanwhile = () => authenticator.apply([aKey(ANNA, { revokedAtMs: nowMs })], nowMs);
      await authenticate();
      store.put(aKey(ANNA, { revokedAtMs: nowMs }));
      expect(await authenticate()).toBe('invalid');
    });
  });

  describe('the cache', () => {
    beforeEach(async () => {
      store.put(aKey(ANNA));
      await authenticate();
    });

    it('is used for 5 seconds after it was confirmed', () => {
      nowMs += 5_000;
      expect(authenticate()).toMatchObject(LET_IN);
      expect(store.lookUps).toBe(1);
    });

    it('is not used after that: each request looks its key up, so a revocation still applies', async () => {
      nowMs += 5_001;
      expect(await authenticate()).toMatchObject(LET_IN);
      store.put(aKey(ANNA, { revokedAtMs: nowMs }));
      expect(await authenticate()).toBe('invalid');
    });

    it('is used again when it is confirmed', () => {
      nowMs += 60_000;
      authenticator.apply([], nowMs);
      expect(authenticate()).toMatchObject(LET_IN);
    });

    it('lets no request in after that when the store fails', async () => {
      nowMs += 5_001;
      store.isDown = true;
      await expect(authenticate()).rejects.toThrow('The database is gone.');
    });

    it('is not used for longer after the clock was set back', async () => {
      nowMs -= 3_600_000;
      await authenticate();
      expect(store.lookUps).toBe(2);
    });

    it('returns the same caller object after another look-up', async () => {
      const before = authenticate();
      nowMs += 5_001;
      expect(await authenticate()).toBe(before);
    });

    it('drops a key that the store no longer has', async () => {
      store.remove(aKey(ANNA));
      nowMs += 5_001;
      await authenticate();
      authenticator.apply([], nowMs);
      expect(await authenticate()).toBe('invalid');
    });

    it('is not used before the first confirmation', async () => {
      authenticator = anUnconfirmed();
      await authenticate();
      await authenticate();
      expect(store.lookUps).toBe(3);
    });
  });

  describe('a full cache', () => {
    /** Stores these keys and uses them, one after the other. */
    async function use(...keys: string[]): Promise<void> {
      for (const text of keys) {
        store.put(aKey(text));
        await authenticate(text);
      }
    }

    it('drops the oldest key, which then costs one look-up', async () => {
      authenticator = anAuthenticator({ maxCachedKeys: 2 });
      await use(ANNA, BERT, CARL);
      expect(authenticate(BERT)).toMatchObject({ keyId: 'key_BBBB' });
      expect(authenticate(CARL)).toMatchObject({ keyId: 'key_CCCC' });
      expect(store.lookUps).toBe(3);
      expect(await authenticate()).toMatchObject(LET_IN);
      expect(store.lookUps).toBe(4);
    });

    it('drops the oldest key again for each further key', async () => {
      authenticator = anAuthenticator({ maxCachedKeys: 1 });
      await use(ANNA, BERT, ANNA, BERT, ANNA);
      expect(authenticate()).toMatchObject(LET_IN);
      await authenticate(BERT);
      expect(store.lookUps).toBe(6);
    });

    it('drops none when a cached key is looked up again', async () => {
      authenticator = anAuthenticator({ maxCachedKeys: 2 });
      await use(ANNA, BERT);
      nowMs += 5_001;
      await authenticate(BERT);
      authenticator.apply([], nowMs);
      expect(authenticate()).toMatchObject(LET_IN);
      expect(store.lookUps).toBe(3);
    });

    it('does not cache a dropped key again when the key changes', async () => {
      authenticator = anAuthenticator({ maxCachedKeys: 1 });
      await use(ANNA, BERT);
      authenticator.apply([aKey(ANNA, { plan: 'pro' })], nowMs);
      expect(authenticate(BERT)).toMatchObject({ keyId: 'key_BBBB' });
      expect(store.lookUps).toBe(2);
      await authenticate();
      expect(store.lookUps).toBe(3);
    });

    it('must have room for at least one key', () => {
      expect(() => anAuthenticator({ maxCachedKeys: 0 })).toThrow('maxCachedKeys must be at least 1.');
    });
  });

  describe('a check of open responses', () => {
    const HALF_STALE_MS = 2_500;

    beforeEach(async () => {
      store.put(aKey(ANNA));
      await authenticate();
    });

    it('believes a cache that was confirmed at most half of the longest staleness ago', async () => {
      const confirmedAtMs = nowMs;
      nowMs += HALF_STALE_MS;
      expect(await authenticator.recheck([ANNA])).toEqual({ invalid: [], asOfMs: confirmedAtMs });
      expect(store.batches).toEqual([]);
    });

    it('queries the store when the cache is older, and says as of when', async () => {
      nowMs += HALF_STALE_MS + 1;
      expect(await authenticator.recheck([ANNA])).toEqual({ invalid: [], asOfMs: nowMs });
      expect(store.batches).toEqual([1]);
    });

    it('finds what is unknown, expired or revoked by now', async () => {
      store.put(aKey(BERT, { expiresAtMs: nowMs }));
      expect((await authenticator.recheck([CARL, BERT, ANNA])).invalid).toEqual([CARL, BERT]);
      authenticator.apply([aKey(ANNA, { revokedAtMs: nowMs })], nowMs);
      expect((await authenticator.recheck([ANNA])).invalid).toEqual([ANNA]);
    });

    it.each([
      [1_000, [1_000]],
      [1_001, [1_000, 1]],
    ])('looks up %i keys in statements of at most a thousand', async (count, batches) => {
      const tokens = Array.from({ length: count }, () => generateApiKey('ask_test_'));
      expect((await authenticator.recheck(tokens)).invalid).toEqual(tokens);
      expect(store.batches).toEqual(batches);
    });
  });

  it('counts requests with a cached key, and those that needed a look-up', async () => {
    store.put(aKey(ANNA));
    for (let count = 0; count < 3; count++) await authenticate();
    await authenticate(BERT);
    expect(authenticator.cacheUse).toEqual({ hits: 2, misses: 2 });
  });

  it('remembers at least 5,000 unknown keys and at most 10,000', async () => {
    const guesses = Array.from({ length: 10_001 }, () => generateApiKey('ask_test_'));
    for (const guess of guesses.slice(0, 10_000)) await authenticate(guess);
    void authenticate(guesses[0]);
    expect(store.lookUps).toBe(10_000);

    await authenticate(guesses[10_000]);
    void authenticate(guesses[5_000]);
    expect(store.lookUps).toBe(10_001);
    await authenticate(guesses[4_999]);
    expect(store.lookUps).toBe(10_002);
  });

  describe('a request whose key look-up is throttled', () => {
    /** Keys that no store knows. */
    const guesses = Array.from({ length: 1_500 }, () => generateApiKey('ask_test_'));

    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['queueMicrotask'] });
      authenticator = anAuthenticator({ throttleLookUps: () => true });
    });

    afterEach(() => jest.useRealTimers());

    it('shares one statement with all requests that come at the same time', async () => {
      store.put(aKey(ANNA));
      const outcomes = [...guesses.slice(0, 500), ANNA].map(async (key) => authenticate(key));
      await jest.advanceTimersByTimeAsync(1);

      const settled = await Promise.all(outcomes);
      expect(settled.slice(0, 500).every((outcome) => outcome === 'invalid')).toBe(true);
      expect(settled[500]).toMatchObject(LET_IN);
      expect(store.batches).toEqual([501]);
      expect(store.lookUps).toBe(0);
    });

    it('waits for the next of four statements a second, however many requests come', async () => {
      const outcomes: Promise<unknown>[] = [];
      for (const [index, guess] of guesses.entries()) {
        outcomes.push(Promise.resolve(authenticate(guess)));
        if (index % 100 === 99) await jest.advanceTimersByTimeAsync(200);
      }
      await jest.advanceTimersByTimeAsync(250);
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['invalid']));
      // Four statements a second for 3.25 seconds, and one more.
      expect(store.batches.length).toBeLessThanOrEqual(14);
    });

    it('gets in with a valid key within half a second, even when a thousand guessed keys wait too', async () => {
      store.put(aKey(ANNA));
      for (const guess of guesses.slice(0, 500)) void authenticate(guess);
      await jest.advanceTimersByTimeAsync(1);
      for (const guess of guesses.slice(500, 1_400)) void authenticate(guess);
      const anna = Promise.resolve(authenticate());

      await jest.advanceTimersByTimeAsync(300);
      await expect(anna).resolves.toMatchObject(LET_IN);
      expect(authenticate()).toMatchObject(LET_IN);
    });

    it('is refused without a look-up when a thousand keys already wait', async () => {
      const outcomes = guesses.slice(0, 1_001).map((guess) => authenticate(guess));
      expect(outcomes[999]).toBeInstanceOf(Promise);
      expect(outcomes[1_000]).toBe('unchecked');
      await jest.advanceTimersByTimeAsync(1);
      expect(store.batches).toEqual([1_000]);
    });

    it('gets the error of a store that fails, and the next request queries the store again', async () => {
      store.put(aKey(ANNA));
      store.isDown = true;
      const failed = expect(authenticate()).rejects.toThrow('The database is gone.');
      await jest.advanceTimersByTimeAsync(250);
      await failed;

      store.isDown = false;
      const anna = authenticate();
      await jest.advanceTimersByTimeAsync(1);
      await expect(anna).resolves.toMatchObject(LET_IN);
    });

    it('does not wait when its key was valid a moment ago', async () => {
      store.put(aKey(ANNA));
      const anna = authenticate();
      await jest.advanceTimersByTimeAsync(1);
      await anna;
      for (const guess of guesses.slice(0, 10)) void authenticate(guess);

      nowMs += 6_000;
      await expect(authenticate()).resolves.toMatchObject(LET_IN);
      expect(store.lookUps).toBe(1);
    });
  });
});
