import { spawnSync } from 'node:child_process';

describe('docs/growth.md', () => {
  it('has the table that the measured costs give', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bench/growth.mjs', '--check'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
