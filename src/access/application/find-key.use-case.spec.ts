import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import type { KeyUsage } from '../domain/usage.reader.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { keyStorage } from '../testing/key-storage.js';
import { FindKey } from './find-key.use-case.js';

const USAGE: KeyUsage = {
  minute: null,
  day: { used: 7, resetsAtMs: 86_400_000 },
  ban: { sinceMs: 4_000, untilMs: 5_000 },
};

describe('FindKey', () => {
  const storage = keyStorage();
  let findKey: FindKey;

  beforeEach(async () => {
    const usage = new FixedUsage();
    usage.give('key_anna', USAGE);
    findKey = new FindKey(storage.keys, usage);
    await storage.put(anApiKey());
  });

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

  describe('with usage', () => {
    async function liftBan(atMs: number): Promise<void> {
      await storage.unitOfWork.run((transaction) =>
        storage.keys.change('key_anna', (key) => key.liftBan(atMs), transaction),
      );
    }

    it('shows the key with its usage', async () => {
      expect(await findKey.withUsage('key_anna')).toEqual({ key: anApiKey(), usage: USAGE });
    });

    it('does not show a lifted ban, even before the servers know of the lift', async () => {
      await liftBan(4_000);
      expect((await findKey.withUsage('key_anna')).usage).toEqual({ ...USAGE, ban: null });
    });

    it('shows a ban that began after the last one was lifted', async () => {
      await liftBan(3_999);
      expect((await findKey.withUsage('key_anna')).usage).toEqual(USAGE);
    });

    it('refuses an id that no key has', async () => {
      await expect(findKey.withUsage('key_nobody')).rejects.toThrow(ApiKeyNotFound);
    });
  });
});
