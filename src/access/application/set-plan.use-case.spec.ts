import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound, ApiKeyOver, InvalidApiKey } from '../domain/api-key.errors.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { ChangeKey } from './change-key.js';
import { SetPlan } from './set-plan.use-case.js';

describe('SetPlan', () => {
  let storage: KeyStorage;
  let setPlan: SetPlan;

  beforeEach(async () => {
    storage = await openKeyStorage();
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    setPlan = new SetPlan(new ChangeKey(storage.keys, storage.unitOfWork, clock), plans);
  });

  afterEach(() => storage.close());

  it('stores the new plan and the time of the change', async () => {
    await storage.put(anApiKey());
    const key = await setPlan.execute({ id: 'key_anna', plan: 'enterprise', perMinute: 5, perDay: 70 });
    expect(key).toMatchObject({
      plan: { name: 'enterprise', perMinute: 5, perDay: 70 },
      changedAtMs: Date.UTC(2026, 2, 14, 12),
    });
    expect(await storage.keys.findById('key_anna')).toEqual(key);
  });

  it('refuses an id that no key has', async () => {
    await expect(setPlan.execute({ id: 'key_nobody', plan: 'pro' })).rejects.toThrow(ApiKeyNotFound);
  });

  it('refuses a key that is expired', async () => {
    await storage.put(anApiKey({ expiresAtMs: Date.UTC(2026, 2, 14, 12) }));
    await expect(setPlan.execute({ id: 'key_anna', plan: 'pro' })).rejects.toThrow(ApiKeyOver);
  });

  it('refuses limits that do not fit the plan', async () => {
    await storage.put(anApiKey());
    await expect(setPlan.execute({ id: 'key_anna', plan: 'pro', perDay: 5 })).rejects.toThrow(InvalidApiKey);
    expect(await storage.keys.findById('key_anna')).toEqual(anApiKey());
  });
});
