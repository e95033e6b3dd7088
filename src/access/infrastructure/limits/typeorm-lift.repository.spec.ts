import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { accessTables } from '../access.tables.js';
import { TypeOrmLiftRepository } from './typeorm-lift.repository.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const HOUR = 3_600_000;

describe.each(databases)('TypeOrmLiftRepository on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let lifts: TypeOrmLiftRepository;

  beforeEach(async () => {
    lifts = new TypeOrmLiftRepository(temporary.database);
  });

  const lift = (subject: string, atMs: number) =>
    temporary.database.run((transaction) => lifts.add(subject, atMs, transaction));

  const after = (changedAtMs: number) => lifts.changedAfter(changedAtMs, 1_000);

  it('has the lifts after a change, each with the time of its own host and in the order of the changes', async () => {
    await lift('203.0.113.7', NOON);
    await lift('2001:db8::/64', NOON - HOUR);
    expect(await after(0)).toEqual([
      { subject: '203.0.113.7', liftedAtMs: NOON, changedAtMs: NOON },
      { subject: '2001:db8::/64', liftedAtMs: NOON - HOUR, changedAtMs: NOON + 1 },
    ]);
    expect(await after(NOON)).toMatchObject([{ subject: '2001:db8::/64' }]);
    expect(await after(NOON + 1)).toEqual([]);
  });

  it('has the last lift of an address', async () => {
    await lift('203.0.113.7', NOON);
    await lift('203.0.113.7', NOON + 1_000);
    expect(await after(0)).toEqual([
      { subject: '203.0.113.7', liftedAtMs: NOON + 1_000, changedAtMs: NOON + 1_000 },
    ]);
  });

  it('gives each of many lifts at once a time of its own', async () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `203.0.113.${index}`);
    await Promise.all(addresses.map((address) => lift(address, NOON)));
    const changes = (await after(0)).map(({ changedAtMs }) => changedAtMs);
    expect(changes).toEqual(Array.from({ length: 20 }, (_, index) => NOON + index));
  });

  it('forgets a lift after a day', async () => {
    await lift('203.0.113.7', NOON);
    await lift('203.0.113.8', NOON + 24 * HOUR);
    expect(await after(0)).toHaveLength(2);
    await lift('203.0.113.9', NOON + 24 * HOUR + 1);
    expect((await after(0)).map(({ subject }) => subject)).toEqual(['203.0.113.8', '203.0.113.9']);
  });
});
