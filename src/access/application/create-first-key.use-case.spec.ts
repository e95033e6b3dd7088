import { FakeClock } from '@animal-store/kernel/testing';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { CreateFirstKey } from './create-first-key.use-case.js';

describe('CreateFirstKey', () => {
  let storage: KeyStorage;
  let createFirstKey: CreateFirstKey;

  beforeEach(async () => {
    storage = await openKeyStorage();
    const generator = new NumberedKeyGenerator();
    createFirstKey = new CreateFirstKey(storage.keys, plans, generator, new FakeClock(), storage.unitOfWork);
  });

  afterEach(() => storage.close());

  it('issues a Free key when there is no key', async () => {
    expect(await createFirstKey.isDue()).toBe(true);
    expect(await createFirstKey.execute()).toMatchObject({
      key: { id: 'key_1', plan: { name: 'free' }, expiresAtMs: null },
      text: 'text of key_1',
    });
    expect(await storage.keys.count({})).toBe(1);
  });

  it('issues only one key when many processes ask at the same time', async () => {
    const issued = await Promise.all([1, 2, 3].map(() => createFirstKey.execute()));
    expect(issued.filter((key) => key !== null)).toHaveLength(1);
  });

  it('issues none when there is a key, even a revoked or expired one', async () => {
    await storage.put(anApiKey({ expiresAtMs: 1_000 }));
    expect(await createFirstKey.isDue()).toBe(false);
    expect(await createFirstKey.execute()).toBeNull();
    expect(await storage.keys.count({})).toBe(1);
  });
});
