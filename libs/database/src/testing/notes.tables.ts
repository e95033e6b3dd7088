class CreateNotes1795000000000 {
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('CREATE TABLE notes (number bigint PRIMARY KEY, text text)');
  }
}

/** A table for tests of the database itself. */
export const notesTables = { records: [], migrations: [CreateNotes1795000000000] };
