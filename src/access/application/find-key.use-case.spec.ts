import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { FindKey } from './find-key.use-case.js';

describe('FindKey', () => {
  let storage: KeyStorage;
  let findKey: FindKey;

  beforeEach(async () => {
    storage = await openKeyStorage();
    findKey = new FindKey(storage.keys);
    await storage.put(anApiKey());
  });

  afterEach(() => storage.close());

  it('finds a key by its id and by the hash of its text', async () => {
    expect(await findKey.execute({ id: 'key_anna' })).toEqual(anApiKey());
    expect(await findKey.execute({ hash: 'hash of key_anna' })).toEqual(anApiKey());
  });

  it('refuses an id that no key has', async () => {
    await expect(findKey.execute({ id: 'key_nobody' })).rejects.toEqual(new ApiKeyNotFound('key_nobody'));
  });

  it('refuses a hash that no key has, and does not repeat it', async () => {
    await expect(findKey.execute({ hash: 'hash of key_nobody' })).rejects.toThrow(
      /^No API key has this text\.$/,
    );
  });
});
