import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { hasSandbox, Sandbox } from '../support/sandbox.js';
import { within } from '../support/server-process.js';
import { Clone, MINUTES_MS } from './clone.js';

const STARTS_WITHIN_MS = 60_000;
const INSTALL_PAGE = readFileSync(resolve(__dirname, '../../docs/operating/install.md'), 'utf8');
const INSTALL = 'npm ci && npm run build && npm prune --omit=dev';
const START = 'npm run start:prod';
const KEYS = 'npm run --silent keys --';
const CREATE = "create --name 'Corner shop' --plan pro";
const FOLDER = '/srv/animal-store';
const DATA = '/srv/data';

const describeInSandbox = hasSandbox() || process.env['CI'] ? describe : describe.skip;

describeInSandbox('The documented way into production, as typed (needs root, for mounts)', () => {
  it(
    'installs, builds and prunes; then keys and a server run as another user on a read-only root',
    async () => {
      expect(INSTALL_PAGE).toContain(`${INSTALL}\n`);
      expect(INSTALL_PAGE).toContain(`${START}\n`);
      expect(INSTALL_PAGE).toContain(`${KEYS} ${CREATE}\n`);
      const root = mkdtempSync(join(realpathSync(tmpdir()), 'production-'));
      const sandbox = new Sandbox(root);
      const clone = new Clone('sources');
      for (const file of clone.files('')) {
        mkdirSync(dirname(join(root, FOLDER, file)), { recursive: true });
        cpSync(join(clone.folder, file), join(root, FOLDER, file));
      }
      clone.remove();
      mkdirSync(join(root, DATA));
      chownSync(join(root, DATA), 1000, 1000);

      sandbox.run({ words: ['sh', '-c', INSTALL], folder: FOLDER });

      const as = {
        user: 'node',
        folder: FOLDER,
        writes: DATA,
        environment: {
          NODE_ENV: 'production',
          DATABASE_URL: `sqlite:${DATA}/store.db`,
          HOST: '127.0.0.1',
          PORT: '0',
        },
      };
      const keys = (words: string) => sandbox.run({ ...as, words: ['sh', '-c', `${KEYS} ${words}`] });
      const { key } = JSON.parse(keys(`${CREATE} --json`)) as { key: string };
      const server = sandbox.start({ ...as, words: ['sh', '-c', `exec ${START}`] });
      let output = '';
      for (const stream of [server.stdout!, server.stderr!])
        stream.on('data', (text) => (output += String(text)));
      try {
        const port = await within(STARTS_WITHIN_MS, () => {
          if (server.exitCode !== null) throw new Error(output);
          return /"Listening on [^"]*:(\d+)\."/.exec(output)?.[1];
        });
        expect(keys('list')).toContain('Corner shop');
        const pages = ['/docs/errors', '/docs/deprecations', '/v1/pets'];
        const headers = { Authorization: `Bearer ${key}` };
        const statuses = pages.map(
          async (page) => (await fetch(`http://127.0.0.1:${port}${page}`, { headers })).status,
        );

        expect(await Promise.all(statuses)).toEqual(pages.map(() => 200));
        const ended = once(server, 'exit');
        server.kill('SIGTERM');
        await ended;
      } finally {
        server.kill('SIGKILL');
        rmSync(root, { recursive: true });
      }
    },
    3 * MINUTES_MS,
  );
});
