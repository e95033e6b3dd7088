import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runProgram, ServerProcess } from '../support/server-process.js';
import { Clone, MINUTES_MS } from './clone.js';

const PAGE = 'libs/openapi/src/pages/page-layout.ts';
const NOT_FOUND = 'src/main.ts imports @nestjs/typeorm, which is not found.';
/** What `npm prune --omit=dev` removes, and the build needs. */
const TOOLS = ['@nestjs', '@swc', 'rolldown', 'typescript'];

describe('A build', () => {
  let clone: Clone;

  beforeAll(() => {
    clone = new Clone('packages');
    clone.pass('npm', 'run', '--silent', 'build');
  }, MINUTES_MS);

  afterAll(() => clone.remove());

  const keys = () => clone.run(process.execPath, 'dist/keys.js', '--help');
  const beside = () => readdirSync(clone.folder).filter((name) => name.startsWith('dist.'));

  it(
    'replaces the last one while programs start, and a running server still has what it loads later',
    async () => {
      const { folder } = clone;
      const parts = { folder, environment: { DATABASE_URL: `sqlite:${join(folder, 'store.db')}` } };
      const server = await ServerProcess.start({ ...parts, entry: join(folder, 'dist/main.js') });
      clone.write(PAGE, clone.read(PAGE).replace('lang="en"', 'lang="en-GB"'));
      let isBuilding = true;
      const npm = spawn('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
      const build = once(npm, 'exit').finally(() => (isBuilding = false));
      const lists: Ended[] = [];
      while (isBuilding)
        lists.push(await runProgram(join(folder, 'dist/keys.js'), ['list', '--json'], parts));

      expect(await build).toEqual([0, null]);
      expect(lists.filter(({ code }) => code !== 0)).toEqual([]);
      for (const { stdout } of lists) JSON.parse(stdout);
      expect(lists.length).toBeGreaterThan(1);
      const pages = ['guides', 'errors', 'deprecations', 'changelog', 'client'].map(
        (name) => `/docs/${name}`,
      );
      const statuses = await Promise.all(pages.map(async (page) => [page, (await server.get(page)).status]));
      expect(statuses).toEqual(pages.map((page) => [page, 200]));
      await server.stop();
      expect(beside()).toEqual([]);
    },
    MINUTES_MS,
  );

  it(
    'that fails leaves the last one',
    () => {
      const source = clone.read('src/main.ts');
      clone.write('src/main.ts', `${source}\n}`);

      expect(clone.run('npm', 'run', '--silent', 'build').status).toBe(1);
      // As Nest's documentation has it, while that package is not installed.
      clone.write('src/main.ts', `import '@nestjs/typeorm';\n${source}`);
      const { status, output } = clone.run('npm', 'run', '--silent', 'build');
      expect([status, output]).toEqual([1, expect.stringContaining(NOT_FOUND)]);
      expect(keys().status).toBe(0);
      expect(beside()).toEqual([]);
      clone.write('src/main.ts', source);
    },
    MINUTES_MS,
  );

  it('is used, and never made, where what makes it is not installed', () => {
    const database = `sqlite:${join(clone.folder, 'store.db')}`;
    for (const name of TOOLS) rmSync(join(clone.folder, 'node_modules', name));
    const now = new Date();
    utimesSync(join(clone.folder, 'package-lock.json'), now, now);
    clone.write('src/main.ts', `${clone.read('src/main.ts')}// Changed.\n`);
    const create = ['create', '--name', 'Corner shop', '--plan', 'pro'];
    const created = clone.run(
      'env',
      `DATABASE_URL=${database}`,
      'npm',
      'run',
      '--silent',
      'keys',
      '--',
      ...create,
    );

    expect(created).toMatchObject({ status: 0, output: expect.stringContaining('ask_live_') as string });
    expect(clone.run('npm', 'run', '--silent', 'build')).toEqual({
      status: 1,
      output: 'What builds the service is not installed: run "npm ci".\n',
    });
    expect(existsSync(join(clone.folder, 'dist/main.js'))).toBe(true);

    rmSync(join(clone.folder, 'dist'), { recursive: true });
    expect(clone.run('npm', 'run', '--silent', 'keys', '--', 'list')).toEqual({
      status: 1,
      output:
        'The service is not built, and what builds it is not installed: run "npm ci", then "npm run build".\n',
    });
  });
});
