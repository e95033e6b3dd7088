import type { IncomingMessage } from 'node:http';
import { hashApiKey } from './api-key.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyStore, type StoredApiKey } from './api-key.store.js';

const ANNA = 'ask_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1kXNAO';
const BERT = 'ask_test_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB3rNRdb';
const CARL = 'ask_test_CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC36wiEM';

function aKey(text: string, facts: Partial<StoredApiKey> = {}): StoredApiKey {
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

class StoreInMemory extends ApiKeyStore {
  private readonly keys = new Map<string, StoredApiKey>();
  lookUps = 0;
  isDown = false;
  /** Runs while the store is reading, after it has read. */
  meanwhile = () => {};

  put(key: StoredApiKey): StoredApiKey {
    this.keys.set(key.hash, key);
    return key;
  }

  remove(key: StoredApiKey): void {
    this.keys.delete(key.hash);
  }

  async findByHash(hash: string): Promise<StoredApiKey | null> {
    this.lookUps++;
    if (this.isDown) throw new Error('The database is gone.');
    const key = this.keys.get(hash) ?? null;
    this.meanwhile();
    return key;
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

  function anAuthenticator(maxKeptKeys?: number): ApiKeyAuthenticator {
    const made = new ApiKeyAuthenticator({
      prefix: 'ask_test_',
      store,
      realm: 'zoo',
      now: () => nowMs,
      maxKeptKeys,
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

    it('is answered without a promise from the second time on, with the same caller', async () => {
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

    it('is looked up every time when the key is unknown, so that a key made later works at once', async () => {
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
      store.put(aKey(ANNA));
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
    it.each<Partial<StoredApiKey>>([{ plan: 'pro' }, { perMinute: 300 }, { perDay: 5 }, { account: 'farm' }])(
      'to %j makes a new caller',
      async (fact) => {
        store.put(aKey(ANNA));
        await authenticator.authenticate(withKey(ANNA));
        authenticator.apply([aKey(ANNA, fact)], nowMs);
        expect(authenticator.authenticate(withKey(ANNA))).toMatchObject(fact);
      },
    );

    it('that leaves the facts as they were keeps the caller', async () => {
      store.put(aKey(ANNA));
      const before = await authenticator.authenticate(withKey(ANNA));
      authenticator.apply([aKey(ANNA)], nowMs);
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

    it('of a key that nobody used is not kept', async () => {
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

  describe('what is kept', () => {
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
      await expect(authenticator.authenticate(withKey(ANNA))).resolves.toBe('invalid');
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
      expect(() => anAuthenticator(0)).toThrow('maxKeptKeys must be at least 1.');
    });
  });
});
