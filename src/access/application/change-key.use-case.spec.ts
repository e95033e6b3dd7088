import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound, ApiKeyOver } from '../domain/api-key.errors.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { keyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { ChangeKey } from './change-key.use-case.js';

describe('ChangeKey', () => {
  const storage = keyStorage();
  let changeKey: ChangeKey;

  beforeEach(() => {
    const { keys, unitOfWork } = storage;
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
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

  it('lets only one of two concurrent rotations of a key succeed', async () => {
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
