import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { accessTables } from '../access.tables.js';
import { TypeOrmKeyHistory } from './typeorm-key-history.js';

describe.each(databases)('TypeOrmKeyHistory on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let history: TypeOrmKeyHistory;

  beforeEach(() => (history = new TypeOrmKeyHistory(temporary.database)));

  const issued = {
    subject: 'key_anna',
    atMs: Date.UTC(2026, 2, 14),
    by: 'anna@db1',
    before: null,
    after: { name: 'Žoo "1" 🦜', scopes: ['pets:read'], perDay: 1_000, expiresAt: null },
  };
  const lifted = {
    subject: 'account zoo',
    atMs: Date.UTC(2026, 2, 1),
    by: 'bert@db2',
    before: { bannedUntil: 'unknown' },
    after: { bannedUntil: null },
  };

  it('has the changes of a subject in the order in which they were added, as they were', async () => {
    const others = { ...issued, subject: 'key_bert' };
    for (const change of [issued, lifted, others, { ...lifted, by: 'key_carl' }])
      await temporary.database.run((transaction) => history.add(change, transaction));
    expect(await history.of('key_anna')).toEqual([issued]);
    expect(await history.of('account zoo')).toEqual([lifted, { ...lifted, by: 'key_carl' }]);
    expect(await history.of('key_carl')).toEqual([]);
  });
});
