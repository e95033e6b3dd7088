import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound, ApiKeyOver, InvalidApiKey } from '../domain/api-key.errors.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { keyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { ChangeKey } from './change-key.use-case.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);

describe('ChangeKey', () => {
  const storage = keyStorage();
  let clock: FakeClock;
  let changeKey: ChangeKey;

  beforeEach(() => {
    clock = new FakeClock(NOON_MS);
    const { keys, unitOfWork } = storage;
    changeKey = new ChangeKey(keys, unitOfWork, clock, plans, new NumberedKeyGenerator());
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['setPlan', (id) => changeKey.setPlan({ id, plan: 'pro' })],
    ['revoke', (id) => changeKey.revoke(id)],
    ['liftBan', (id) => changeKey.liftBan(id)],
    ['rotate', (id) => changeKey.rotate({ id, graceMs: 0 })],
  ])('%s refuses an id that no key has, and issues nothing', async (_, change) => {
    await expect(change('key_nobody')).rejects.toThrow(ApiKeyNotFound);
    expect(await storage.keys.count({})).toBe(0);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['setPlan', (id) => changeKey.setPlan({ id, plan: 'pro' })],
    ['liftBan', (id) => changeKey.liftBan(id)],
    ['rotate', (id) => changeKey.rotate({ id, graceMs: 0 })],
  ])('%s refuses a key that is expired', async (_, change) => {
    await storage.put(anApiKey({ expiresAtMs: NOON_MS }));
    await expect(change('key_anna')).rejects.toThrow(ApiKeyOver);
  });

  describe('setPlan', () => {
    it('stores the new plan and the time of the change', async () => {
      await storage.put(anApiKey());
      const key = await changeKey.setPlan({ id: 'key_anna', plan: 'enterprise', perMinute: 5, perDay: 70 });
      expect(key).toMatchObject({
        plan: { name: 'enterprise', perMinute: 5, perDay: 70 },
        changedAtMs: NOON_MS,
      });
      expect(await storage.keys.findById('key_anna')).toEqual(key);
    });

    it('refuses limits that do not fit the plan', async () => {
      await storage.put(anApiKey());
      const change = changeKey.setPlan({ id: 'key_anna', plan: 'pro', perDay: 5 });
      await expect(change).rejects.toThrow(InvalidApiKey);
      expect(await storage.keys.findById('key_anna')).toEqual(anApiKey());
    });
  });

  describe('revoke', () => {
    it('ends the key now', async () => {
      await storage.put(anApiKey());
      const key = await changeKey.revoke('key_anna');
      expect(key.revokedAtMs).toBe(NOON_MS);
      expect(await storage.keys.findById('key_anna')).toEqual(key);
    });

    it('does not change a key that is already revoked', async () => {
      await storage.put(anApiKey());
      const revoked = await changeKey.revoke('key_anna');
      clock.advance(60_000);
      expect(await changeKey.revoke('key_anna')).toEqual(revoked);
    });
  });

  describe('rotate', () => {
    it('stores the new key and the end of the old one', async () => {
      await storage.put(anApiKey());
      const { key, text, replaced } = await changeKey.rotate({ id: 'key_anna', graceMs: 3_600_000 });
      expect(text).toBe('text of key_1');
      expect(key).toMatchObject({ id: 'key_1', account: 'zoo', plan: { name: 'free' }, expiresAtMs: null });
      expect(replaced).toMatchObject({ expiresAtMs: NOON_MS + 3_600_000, replacedBy: 'key_1' });
      expect(await storage.keys.findById('key_1')).toEqual(key);
      expect(await storage.keys.findById('key_anna')).toEqual(replaced);
    });

    it('lets only one of two concurrent rotations succeed', async () => {
      await storage.put(anApiKey());
      const rotate = () => changeKey.rotate({ id: 'key_anna', graceMs: 3_600_000 });
      const outcomes = await Promise.allSettled([rotate(), rotate()]);
      expect(outcomes).toEqual([
        expect.objectContaining({ status: 'fulfilled' }),
        { status: 'rejected', reason: expect.any(ApiKeyOver) },
      ]);
      expect(await storage.keys.count({})).toBe(2);
    });
  });
});
