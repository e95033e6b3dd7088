import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RawConnection } from '@animal-store/web/testing';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

const PATIENCE_MS = 20_000;
const REVOKED_WITHIN_MS = 5_000;
const SHUT_DOWN_WITHIN_MS = 1_000;

/** Streams of a service in its own process, ended by others. */
describe('A stream that is held open', () => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  let server: ServerProcess;
  const clients: RawConnection[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'streams-'));
    environment = { DATABASE_URL: `sqlite:${join(folder, 'store.db')}`, HEARTBEAT_MS: '100' };
    server = await ServerProcess.start({
      folder,
      environment,
      entry: 'src/main.js',
      preload: resolve('test/support/streams.preload.mjs'),
    });
  }, 60_000);

  afterAll(async () => {
    for (const client of clients) client.close();
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function keys(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram('keys.js', words, { folder, environment });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  async function newKey(): Promise<{ id: string; key: string }> {
    return JSON.parse(await keys('create', '--name', 'test', '--plan', 'pro', '--json')) as {
      id: string;
      key: string;
    };
  }

  /** Resolves after some events. */
  async function stream(key: string): Promise<RawConnection> {
    const client = await RawConnection.open(server.port);
    clients.push(client);
    client.send(`GET /v1/streams HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await within(PATIENCE_MS, () => client.text.includes('data: 1\n'));
    return client;
  }

  const hasEnded = ({ text }: RawConnection): boolean => text.endsWith('\r\n0\r\n\r\n');

  it('ends within five seconds after another process has revoked its key, and no other one', async () => {
    const [mine, other] = await Promise.all([newKey(), newKey()]);
    const [ending, going] = await Promise.all([stream(mine.key), stream(other.key)]);
    await keys('revoke', mine.id);
    await within(REVOKED_WITHIN_MS, () => hasEnded(ending));

    expect(hasEnded(going)).toBe(false);
  }, 60_000);

  it('ends within a second after SIGTERM, and does not make the shutdown wait', async () => {
    const client = await stream((await newKey()).key);
    const signalledAtMs = performance.now();
    const end = server.stop('SIGTERM');
    await within(SHUT_DOWN_WITHIN_MS, () => hasEnded(client));
    expect(await end).toMatchObject({ code: 0, stderr: '' });

    // Far less than the grace period of running requests.
    expect(performance.now() - signalledAtMs).toBeLessThan(5_000);
  }, 60_000);
});
