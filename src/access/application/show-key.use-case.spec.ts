import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import type { KeyUsage } from '../domain/usage.reader.js';
import { anApiKey } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { ShowKey } from './show-key.use-case.js';

const USAGE: KeyUsage = {
  minute: null,
  day: { used: 7, resetsAtMs: 86_400_000 },
  ban: { fromMs: 4_000, untilMs: 5_000 },
};

describe('ShowKey', () => {
  let storage: KeyStorage;
  let showKey: ShowKey;

  beforeEach(async () => {
    storage = await openKeyStorage();
    const usage = new FixedUsage();
    usage.give('key_anna', USAGE);
    showKey = new ShowKey(storage.keys, usage);
  });

  afterEach(() => storage.close());

  async function liftBan(atMs: number): Promise<void> {
    await storage.put(anApiKey());
    await storage.unitOfWork.run((transaction) =>
      storage.keys.change('key_anna', (key) => key.liftBan(atMs), transaction),
    );
  }

  it('shows the key with its usage', async () => {
    await storage.put(anApiKey());
    expect(await showKey.execute('key_anna')).toEqual({ key: anApiKey(), usage: USAGE });
  });

  it('does not show a lifted ban, even before the servers know of the lift', async () => {
    await liftBan(4_000);
    expect((await showKey.execute('key_anna')).usage).toEqual({ ...USAGE, ban: null });
  });

  it('shows a ban that began after the last one was lifted', async () => {
    await liftBan(3_999);
    expect((await showKey.execute('key_anna')).usage).toEqual(USAGE);
  });

  it('refuses an id that no key has', async () => {
    await expect(showKey.execute('key_nobody')).rejects.toThrow(ApiKeyNotFound);
  });
});
