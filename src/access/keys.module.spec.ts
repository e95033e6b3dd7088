import { Test } from '@nestjs/testing';
import { DatabaseModule } from '@animal-store/database';
import { onEmptySqlite } from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { loadSettings } from '../settings/settings.js';
import { SettingsModule } from '../settings/settings.module.js';
import { StoreKeyIssuer } from './application/key-issuer.service.js';
import { ListKeyChanges } from './application/list-key-changes.use-case.js';
import { ReadUsage } from './application/usage/read-usage.js';
import { UsageUnavailable } from './domain/api-key.errors.js';
import { Operator } from './domain/key-history.js';
import { UsageReader } from './domain/usage.reader.js';
import { accessTables } from './infrastructure/access.tables.js';
import { KeysModule } from './keys.module.js';
import { FixedUsage } from './testing/fixed-usage.reader.js';

describe('KeysModule', () => {
  const storage = onEmptySqlite([accessTables], (database) => ({ database }));

  it('has the ports that a test gives as providers, and its own others', async () => {
    const usage = new FixedUsage();
    const keys = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings({}), new FakeClock('2026-03-14T12:00:00.000Z')),
        DatabaseModule.forRoot(storage.database),
        KeysModule,
      ],
    })
      .overrideProvider(Operator)
      .useValue({ name: 'anna@db1' })
      .overrideProvider(UsageReader)
      .useValue(usage)
      .compile();

    const { key } = await keys.get(StoreKeyIssuer).issue({ name: 'Till', plan: 'free' });
    usage.give(key.id, { day: { used: 7, resetsAtMs: 0 } });

    expect(await keys.get(ListKeyChanges).execute(key)).toMatchObject([{ by: 'anna@db1' }]);
    expect(await keys.get(ReadUsage).of([key])).toMatchObject([{ usage: { day: { used: 7 } } }]);
    usage.fail(new UsageUnavailable(new Error('gone')));
    await expect(keys.get(ReadUsage).of([key])).rejects.toThrow(UsageUnavailable);
  });
});
