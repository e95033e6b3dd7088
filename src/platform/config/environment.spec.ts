import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from './environment.js';

describe('readEnvironment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'environment-'));
  const file = join(folder, '.env');

  afterAll(() => rmSync(folder, { recursive: true }));

  it('adds the settings of the file; the environment takes precedence', () => {
    writeFileSync(file, '# where to listen\nPORT=8080\nHOST="0.0.0.0"\n');

    expect(readEnvironment({ PORT: '9090' }, file)).toEqual({ PORT: '9090', HOST: '0.0.0.0' });
  });

  it('needs no file', () => {
    expect(readEnvironment({ PORT: '9090' }, join(folder, 'absent'))).toEqual({ PORT: '9090' });
  });
});
