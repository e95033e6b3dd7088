import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound, ApiKeyOver } from '../domain/api-key.errors.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { ChangeKey } from './change-key.js';
import { RotateKey } from './rotate-key.use-case.js';

describe('RotateKey', () => {
  let storage: KeyStorage;
  let rotateKey: RotateKey;

  beforeEach(async () => {
    storage = await openKeyStorage();
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    const { keys, unitOfWork } = storage;
    const changeKey = new ChangeKey(keys, unitOfWork, clock);
    rotateKey = new RotateKey(changeKey, keys, new NumberedKeyGenerator(), unitOfWork);
  });

  afterEach(() => storage.close());

  it('stores the new key and the end of the old one', async () => {
    await storage.put(anApiKey());
    const { key, text, replaced } = await rotateKey.execute({ id: 'key_anna', graceMs: 3_600_000 });
    expect(text).toBe('text of key_1');
    expect(key).toMatchObject({ id: 'key_1', account: 'zoo', plan: { name: 'free' }, expiresAtMs: null });
    expect(replaced).toMatchObject({ expiresAtMs: Date.UTC(2026, 2, 14, 13), replacedBy: 'key_1' });
    expect(await storage.keys.findById('key_1')).toEqual(key);
    expect(await storage.keys.findById('key_anna')).toEqual(replaced);
  });

  it('refuses an id that no key has, and issues nothing', async () => {
    await expect(rotateKey.execute({ id: 'key_nobody', graceMs: 0 })).rejects.toThrow(ApiKeyNotFound);
    expect(await storage.keys.count({})).toBe(0);
  });

  it('lets only one of two concurrent rotations succeed', async () => {
    await storage.put(anApiKey());
    const rotate = () => rotateKey.execute({ id: 'key_anna', graceMs: 3_600_000 });
    const outcomes = await Promise.allSettled([rotate(), rotate()]);
    expect(outcomes).toEqual([
      expect.objectContaining({ status: 'fulfilled' }),
      { status: 'rejected', reason: expect.any(ApiKeyOver) },
    ]);
    expect(await storage.keys.count({})).toBe(2);
  });
});
