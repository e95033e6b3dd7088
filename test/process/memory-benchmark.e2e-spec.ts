import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const PROGRAM = 'libs/rate-limiting/bench/memory.mjs';

describe('The memory benchmark of rate limiting', () => {
  it('runs, and finds that idle counters are dropped', () => {
    const args = ['--expose-gc', PROGRAM, '1000'];
    const table = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });

    expect(table).toMatch(/'every key called again' +│ 1000 /);
    expect(table).toMatch(/'some minutes after their day' +│ 1 /);
  });
});
