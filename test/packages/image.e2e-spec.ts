import { once } from 'node:events';
import { RehearsedImage } from '../support/rehearsed-image.js';
import { hasSandbox } from '../support/sandbox.js';
import { within } from '../support/server-process.js';
import { Clone, MINUTES_MS } from './clone.js';

const STARTS_WITHIN_MS = 60_000;
const KEY = ['node', 'dist/keys.js', 'create', '--name', 'Corner shop', '--plan', 'free', '--json'];

const describeInSandbox = hasSandbox() || process.env['CI'] ? describe : describe.skip;

describeInSandbox('The image, built and started without Docker (needs root, for mounts)', () => {
  it(
    'starts on a read-only root, makes a key, serves, and ends with SIGTERM',
    async () => {
      const clone = new Clone('sources');
      const image = new RehearsedImage(clone.folder, clone.files(''));
      clone.remove();
      const server = image.start({ PORT: '0', HOST: '127.0.0.1' });
      let output = '';
      for (const stream of [server.stdout!, server.stderr!])
        stream.on('data', (text) => (output += String(text)));
      try {
        const PORT = await within(STARTS_WITHIN_MS, () => {
          if (server.exitCode !== null) throw new Error(output);
          return /"Listening on [^"]*:(\d+)\."/.exec(output)?.[1];
        });
        const { key } = JSON.parse(image.run(KEY)) as { key: string };
        const origin = `http://127.0.0.1:${PORT}`;
        const pages = ['/docs', '/docs/errors', '/docs/client', '/openapi.json', '/v1/pets'];
        const headers = { Authorization: `Bearer ${key}` };
        const statuses = pages.map(async (page) => (await fetch(origin + page, { headers })).status);

        expect(await Promise.all(statuses)).toEqual(pages.map(() => 200));
        image.checkHealth({ PORT });
        server.kill('SIGTERM');
        expect(await once(server, 'exit')).toEqual([0, null]);
      } finally {
        server.kill('SIGKILL');
        image.remove();
      }
    },
    3 * MINUTES_MS,
  );
});
