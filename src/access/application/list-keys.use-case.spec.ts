import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { ListKeys } from './list-keys.use-case.js';

describe('ListKeys', () => {
  let storage: KeyStorage;

  beforeEach(async () => {
    storage = await openKeyStorage();
  });

  afterEach(() => storage.close());

  it('lists the keys, those that are over among them', async () => {
    const first = anApiKey({ id: 'key_1', createdAtMs: 1_000, expiresAtMs: 2_000 });
    const second = anApiKey({ id: 'key_2', createdAtMs: 3_000 });
    await storage.put(first, second);
    expect(await new ListKeys(storage.keys).execute()).toEqual([first, second]);
  });
});
