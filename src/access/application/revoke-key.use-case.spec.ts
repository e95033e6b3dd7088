import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { ChangeKey } from './change-key.js';
import { RevokeKey } from './revoke-key.use-case.js';

describe('RevokeKey', () => {
  let storage: KeyStorage;
  let clock: FakeClock;
  let revokeKey: RevokeKey;

  beforeEach(async () => {
    storage = await openKeyStorage();
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    revokeKey = new RevokeKey(new ChangeKey(storage.keys, storage.unitOfWork, clock));
  });

  afterEach(() => storage.close());

  it('ends the key now', async () => {
    await storage.put(anApiKey());
    const key = await revokeKey.execute('key_anna');
    expect(key.revokedAtMs).toBe(Date.UTC(2026, 2, 14, 12));
    expect(await storage.keys.findById('key_anna')).toEqual(key);
  });

  it('does not change a key that is already revoked', async () => {
    await storage.put(anApiKey());
    const revoked = await revokeKey.execute('key_anna');
    clock.advance(60_000);
    expect(await revokeKey.execute('key_anna')).toEqual(revoked);
  });

  it('refuses an id that no key has', async () => {
    await expect(revokeKey.execute('key_nobody')).rejects.toThrow(ApiKeyNotFound);
  });
});
