import { setImmediate as turn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import type { CompiledStatement } from '../statements/compiled-statement.js';
import { ReadQueue } from './read-queue.js';

describe('ReadQueue', () => {
  it('does not send the reads of a failed statement one by one once the connection is lost', async () => {
    const failures = [
      Object.assign(new Error('division by zero'), { code: '22012' }),
      new StorageUnavailable('Query read timeout'),
    ];
    const query = jest.fn(() => Promise.reject(failures.shift()!));
    const release = jest.fn();
    const client = { query, release, on: () => client, off: () => client };
    const statement = {
      sql: 'SELECT 6 / $1',
      groupable: { names: ['n'], order: [], isShareable: true },
      hydrate: () => {},
    };
    const queue = new ReadQueue(statement as unknown as CompiledStatement, ['bigint'], {
      pool: { connect: () => Promise.resolve(client) } as unknown as Pool,
      nameOf: (sql) => sql,
      translated: (error) => error,
      limitMs: 60_000,
    });

    const outcomes = await Promise.allSettled([queue.read([0n]), queue.read([1n]), queue.read([2n])]);

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailable) as unknown });
    await turn();
    expect(query).toHaveBeenCalledTimes(2);
    expect(release).toHaveBeenCalledWith(true);
  });
});
