import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawConnection } from '@animal-store/web/testing';
import { ServerProcess, within } from '../support/server-process.js';

/** Each request writes a log line. All lines together exceed the buffers of the pipe and of its reader. */
const REQUESTS = 3_000;
const AT_A_TIME = 100;
const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: store\r\n\r\n';

describe('A reader of standard output that has stalled', () => {
  let folder: string;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalled-reader-'));
    server = await ServerProcess.start({
      folder,
      environment: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        DATABASE_URL: `sqlite:${folder}/store.db`,
        LOG_LEVEL: 'debug',
      },
    });
  });

  beforeEach(async () => {
    server.takeStdout();
    server.stallStdout();
    for (let sent = 0; sent < REQUESTS; sent += AT_A_TIME) {
      const connection = await RawConnection.open(server.port);
      await connection.send(REQUEST.repeat(AT_A_TIME)).until(AT_A_TIME);
      connection.close();
    }
  });

  afterAll(async () => {
    server.readStdoutOn();
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('gets every line when it continues before the buffer is full', async () => {
    server.readStdoutOn();
    await within(5_000, () => server.stdout.split('"route":"/health/live"').length - 1 >= REQUESTS);
    expect(server.stdout.split('"route":"/health/live"')).toHaveLength(REQUESTS + 1);
  });

  it('does not prevent the process from exiting after SIGTERM', async () => {
    server.signal('SIGTERM');
    await within(8_000, () => server.hasEnded);
    server.readStdoutOn();
    expect((await server.end).code).toBe(0);
  });
});
