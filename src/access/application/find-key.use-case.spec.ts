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

  describe('with usage', () => {
    async function liftBan(atMs: number): Promise<void> {
      await storage.unitOfWork.run((transaction) =>
        storage.keys.change('key_anna', (key) => key.liftBan(atMs), transaction),
      );
    }

    it('does not show a lifted ban, even before the servers know of the lift', async () => {
      await liftBan(4_000);
      expect((await findKey.withUsage('key_anna')).usage).toEqual({ ...USAGE, ban: null });
    });

    it('shows a ban that began after the last one was lifted', async () => {
      await liftBan(3_999);
      expect((await findKey.withUsage('key_anna')).usage).toEqual(USAGE);
    });
  });
});
