import { FakeClock } from '../../shared/testing/fake-clock.js';
import { ApiKeyNotFound, ApiKeyOver } from '../domain/api-key.errors.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { LiftBan } from './lift-ban.use-case.js';

describe('LiftBan', () => {
  let storage: KeyStorage;
  let liftBan: LiftBan;

  beforeEach(async () => {
    storage = await openKeyStorage();
    liftBan = new LiftBan(storage.keys, new FakeClock('2026-03-14T12:00:00.000Z'), storage.unitOfWork);
  });

  afterEach(() => storage.close());

  it('notes when, for the servers to learn', async () => {
    await storage.put(anApiKey());
    const key = await liftBan.execute('key_anna');
    expect(key.banLiftedAtMs).toBe(Date.UTC(2026, 2, 14, 12));
    expect(await storage.keys.changedAfter(0, 10)).toEqual([key]);
  });

  it('refuses an id that no key has', async () => {
    await expect(liftBan.execute('key_nobody')).rejects.toThrow(ApiKeyNotFound);
  });

  it('refuses a key that is expired', async () => {
    await storage.put(anApiKey({ expiresAtMs: Date.UTC(2026, 2, 14, 12) }));
    await expect(liftBan.execute('key_anna')).rejects.toThrow(ApiKeyOver);
  });
});
