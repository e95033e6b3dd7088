import { Logger } from '@nestjs/common';
import { notesTables } from './testing/tables.js';
import { databases, emptyBeforeEach } from './testing/temporary-database.js';

describe.each(databases)('A commit listener that throws on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, notesTables);
  let logged: jest.SpyInstance;

  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  });

  afterEach(() => jest.restoreAllMocks());

  function add(number: number, listeners: (() => void)[] = []): Promise<number> {
    const { database } = temporary;
    return database.run(async (transaction) => {
      for (const listener of listeners) transaction.onCommit(listener);
      await database.session(transaction).query(`INSERT INTO notes (number) VALUES (${number})`);
      return number;
    });
  }

  it('is logged, and neither its transaction, nor other listeners, nor other writes notice', async () => {
    const heard: string[] = [];
    const broken = new TypeError('the listener is broken');
    const failing = (): void => {
      throw broken;
    };

    const outcomes = await Promise.allSettled([
      add(1),
      add(2, [failing, () => heard.push('after it')]),
      add(3, [() => heard.push('of the next one')]),
    ]);
    const later = await add(4);

    expect(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([1, 2, 3]);
    expect(later).toBe(4);
    expect(heard.sort()).toEqual(['after it', 'of the next one']);
    expect(logged.mock.calls).toEqual([[expect.stringContaining('onCommit'), broken]]);
    expect(await temporary.database.query('SELECT number FROM notes')).toHaveLength(4);
  });
});
