import { FakeClock } from '@animal-store/kernel/testing';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { keyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { CreateKey } from './create-key.use-case.js';

describe('CreateKey', () => {
  const storage = keyStorage();
  let createKey: CreateKey;

  beforeEach(() => {
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    createKey = new CreateKey(storage.keys, plans, new NumberedKeyGenerator(), clock, storage.unitOfWork);
  });

  describe('the first key', () => {
    it('is a Free key, issued when there is no key', async () => {
      expect(await createKey.isFirst()).toBe(true);
      expect(await createKey.executeFirst()).toMatchObject({
        key: { id: 'key_1', plan: { name: 'free' }, expiresAtMs: null },
        text: 'text of key_1',
      });
      expect(await storage.keys.count({})).toBe(1);
    });

    it('is issued only once when many processes ask at the same time', async () => {
      const issued = await Promise.all([1, 2, 3].map(() => createKey.executeFirst()));
      expect(issued.filter((key) => key !== null)).toHaveLength(1);
    });

    it('is not issued when there is a key, even a revoked or expired one', async () => {
      await storage.put(anApiKey({ expiresAtMs: 1_000 }));
      expect(await createKey.isFirst()).toBe(false);
      expect(await createKey.executeFirst()).toBeNull();
      expect(await storage.keys.count({})).toBe(1);
    });
  });
});
