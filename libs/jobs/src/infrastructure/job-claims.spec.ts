import { describeOnPostgres, emptyBeforeEach, temporaryPostgres } from '@animal-store/database/testing';
import { JobStore } from './job-store.js';
import { jobsTables } from './jobs.tables.js';

describeOnPostgres('JobClaims on PostgreSQL', () => {
  const temporary = emptyBeforeEach(temporaryPostgres, jobsTables);

  it('takes no job before an older one of its subject that another worker has locked', async () => {
    const { database } = temporary;
    const store = new JobStore(database);
    const claim = {
      kind: 'tell',
      subjects: 'one at a time',
      limit: 10,
      tries: 10,
      untilMs: 1,
      after: '',
    } as const;
    const taken = () => database.run(async (within) => (await store.claims.take(claim, within)).jobs);
    await database.run(async (within) => {
      for (const payload of ['first', 'second'])
        await store.add({ kind: 'tell', subject: 'a', payload }, 1, 1, within);
    });

    await database.run(async (within) => {
      // As a worker does that wanted to take it from one that has ended, and came second.
      await database.session(within).query(`SELECT id FROM jobs WHERE payload = '"first"' FOR UPDATE`);
      expect(await taken()).toEqual([]);
    });
    expect((await taken()).map(({ payload }) => payload)).toEqual(['"first"']);
  });
});
