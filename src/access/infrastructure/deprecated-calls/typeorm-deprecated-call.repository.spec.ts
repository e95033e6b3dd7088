import { FakeClock } from '@animal-store/kernel/testing';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { accessTables } from '../access.tables.js';
import { RemoveExpiredCalls, TypeOrmDeprecatedCallRepository } from './typeorm-deprecated-call.repository.js';

const TODAY = 20_526;

describe.each(databases)('TypeOrmDeprecatedCallRepository on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let repository: TypeOrmDeprecatedCallRepository;

  beforeEach(() => (repository = new TypeOrmDeprecatedCallRepository(temporary.database)));

  const ofAnna = { operation: 'getPet', keyId: 'key_anna', account: 'zoo', day: TODAY, calls: 3 };

  it('adds calls to those of the same operation, key and day', async () => {
    await repository.add([ofAnna, { ...ofAnna, keyId: 'key_bert', calls: 5 }]);
    await repository.add([ofAnna]);
    expect(await repository.callersSince(TODAY, 10)).toEqual([
      { ...ofAnna, calls: 6 },
      { ...ofAnna, keyId: 'key_bert', calls: 5 },
    ]);
  });

  it('adds up the days, and has the last one', async () => {
    for (const [daysAgo, calls] of [
      [31, 1_000],
      [29, 2],
      [1, 1],
    ] as const)
      await repository.add([{ ...ofAnna, day: TODAY - daysAgo, calls }]);
    expect(await repository.callersSince(TODAY - 29, 10)).toEqual([{ ...ofAnna, day: TODAY - 1, calls: 3 }]);
  });

  it('has those of one account alone, and no more callers than requested', async () => {
    const rows = ['key_anna', 'key_bert', 'key_carl'].map((keyId, index) => ({
      ...ofAnna,
      keyId,
      calls: 9 - index,
    }));
    const others = [
      { ...ofAnna, keyId: 'key_dora', account: 'ark', calls: 2 },
      { ...ofAnna, keyId: 'none', account: null, calls: 1 },
    ];
    await repository.add([...rows, ...others, { ...ofAnna, day: TODAY - 2, calls: 100 }]);
    expect(await repository.ofAccount('zoo', TODAY - 1)).toEqual(rows);
    expect(await repository.ofAccount('sea', 0)).toEqual([]);
    expect(await repository.callersSince(TODAY, 2)).toEqual(rows.slice(0, 2));
  });

  it('adds what several servers count at the same time', async () => {
    const keys = ['key_anna', 'key_bert', 'key_carl'];
    const rows = (order: readonly string[]) => order.map((keyId) => ({ ...ofAnna, keyId, calls: 1 }));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        repository.add(rows(index % 2 === 0 ? keys : keys.toReversed())),
      ),
    );
    expect((await repository.callersSince(TODAY, 10)).map(({ calls }) => calls)).toEqual([20, 20, 20]);
  });

  it('has calls that expire after 30 days', async () => {
    const days = [34, 33, 32, 31, 30, 29, 0];
    await repository.add(days.map((daysAgo) => ({ ...ofAnna, day: TODAY - daysAgo })));
    const job = new RemoveExpiredCalls(temporary.database, new FakeClock(TODAY * 86_400_000));
    await job.run(null, new AbortController().signal);

    const left = 'SELECT day FROM deprecated_calls ORDER BY day';
    expect(await temporary.database.query(left)).toEqual(
      [29, 0].map((daysAgo) => ({ day: BigInt(TODAY - daysAgo) })),
    );
  });
});
