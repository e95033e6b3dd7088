import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backlogProblem } from './listen-backlog.js';

describe('backlogProblem', () => {
  let folder: string;

  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'backlog-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function kernelAllowing(limit: string): string {
    const file = join(folder, 'somaxconn');
    writeFileSync(file, `${limit}\n`);
    return file;
  }

  it.each(['4096', '65535'])('is null when the kernel lets %s connections wait', (limit) => {
    expect(backlogProblem(kernelAllowing(limit))).toBeNull();
  });

  it('says what to set when the kernel lets fewer wait', () => {
    expect(backlogProblem(kernelAllowing('128'))).toBe(
      'The kernel lets only 128 new connections wait, and resets more in a burst. Allow 4096: sysctl -w net.core.somaxconn=4096',
    );
  });

  it('is null where the kernel does not say', () => {
    expect(backlogProblem(join(folder, 'nothing'))).toBeNull();
  });
});
