import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { HasKeys } from './has-keys.use-case.js';

describe('HasKeys', () => {
  let storage: KeyStorage;

  beforeEach(async () => {
    storage = await openKeyStorage();
  });

  afterEach(() => storage.close());

  it('is true from the first key on', async () => {
    const hasKeys = new HasKeys(storage.keys);
    expect(await hasKeys.execute()).toBe(false);
    await storage.put(anApiKey());
    expect(await hasKeys.execute()).toBe(true);
  });
});
