import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Transaction } from '@animal-store/kernel';
import { UniqueViolation } from './driver-errors.js';
import { tablesOf } from './testing/tables.js';
import { databases, emptyBeforeEach } from './testing/temporary-database.js';

@Entity({ name: 'notes' })
class NoteRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'integer', unique: true })
  number: number;
}

const tables = tablesOf([NoteRecord], 'CREATE TABLE notes (id IDENTITY, number integer NOT NULL UNIQUE)');

describe.each(databases)('Units of work of one moment on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, tables);

  let statements: ReturnType<typeof build>;

  function build() {
    const notes = temporary.database.statements(NoteRecord, 'note');
    return { insert: notes.insert(), all: notes.select((note) => note.orderBy('note.number')) };
  }

  beforeEach(() => (statements = build()));
  afterEach(() => jest.restoreAllMocks());

  function add(number: number, work: (transaction: Transaction) => unknown = () => undefined) {
    return temporary.database.run(async (transaction) => {
      await work(transaction);
      await statements.insert.execute({ number }, transaction);
      return number;
    });
  }

  const stored = async () => (await statements.all.getMany({})).map(({ number }) => number);

  it('run in the asynchronous contexts of their callers', async () => {
    const callers = new AsyncLocalStorage<string>();
    const seen = new Set<string>();
    const adding = ['Ann', 'Ben', 'Cem'].map((caller, number) =>
      callers.run(caller, () => add(number, () => seen.add(`${caller}: ${callers.getStore()}`))),
    );
    await Promise.all(adding);

    expect([...seen].sort()).toEqual(['Ann: Ann', 'Ben: Ben', 'Cem: Cem']);
  });

  it('call the commit listeners of those that are stored, once', async () => {
    const heard: number[] = [];
    const reporting = (number: number, fails = false) =>
      add(number, (transaction) => {
        transaction.onCommit(() => heard.push(number));
        if (fails) throw new Error('changed their mind');
      });
    await Promise.allSettled([reporting(1), reporting(2, true), reporting(3)]);

    expect(heard.sort()).toEqual([1, 3]);
    expect(await stored()).toEqual([1, 3]);
  });

  it('do not notice a commit listener that throws, nor do other listeners; it is logged', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const heard: string[] = [];
    const broken = new TypeError('the listener is broken');
    const outcomes = await Promise.all([
      add(1),
      add(2, (transaction) => {
        transaction.onCommit(() => {
          throw broken;
        });
        transaction.onCommit(() => heard.push('after it'));
      }),
      add(3, (transaction) => transaction.onCommit(() => heard.push('of the next one'))),
    ]);
    await add(4);

    expect(outcomes).toEqual([1, 2, 3]);
    expect(heard.sort()).toEqual(['after it', 'of the next one']);
    expect(logged.mock.calls).toEqual([[expect.stringContaining('onCommit'), broken]]);
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });

  it('leave inserts outside a transaction to themselves, each of which fails alone', async () => {
    const insert = (number: number) => statements.insert.execute({ number });
    const outcomes = await Promise.allSettled([insert(7), insert(7), add(8), insert(9)]);

    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: expect.any(UniqueViolation) as unknown },
      { value: 8 },
      { status: 'fulfilled' },
    ]);
    expect(await stored()).toEqual([7, 8, 9]);
  });

  it('refuse a statement of one that has ended', async () => {
    const { database } = temporary;
    const leaked = await database.run((transaction) => Promise.resolve(database.session(transaction)));

    await expect(leaked.query('DELETE FROM notes')).rejects.toThrow('This transaction has ended');
  });
});
