import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.js';

describe('Starting without a database', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'start-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    [
      'a PostgreSQL that does not respond',
      'postgres://user:hunter2@127.0.0.1:1/store',
      'The database at 127.0.0.1:1/store cannot be opened: connect ECONNREFUSED 127.0.0.1:1.\n',
    ],
    [
      'a file that is not a database',
      'sqlite:/etc/passwd',
      'The database file /etc/passwd cannot be opened: file is not a database.\n',
    ],
  ])('exits with code 1 and one line without the password: %s', async (_, url, line) => {
    const ended = await runProgram('main.js', [], { folder, environment: { DATABASE_URL: url, PORT: '0' } });
    expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
  });
});
