import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPostgres, PostgresServer } from '@animal-store/database/testing';
import { freePort } from '@animal-store/kernel/testing';
import { hasRedisServer, RedisServer } from '@animal-store/rate-limiting/testing';
import { RawConnection } from '@animal-store/web/testing';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

const LIMIT_MS = 20_000;
const CONNECTIONS = 40;

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
const canShare = major > 22 || (major === 22 && minor >= 12);
const onServers = hasPostgres() && hasRedisServer() ? it : it.skip;

describe('REUSE_PORT', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'reuse-port-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  if (canShare) {
    onServers(
      'lets two servers share a port; when one ends, the other gets all connections',
      async () => {
        const [postgres, redis, port] = await Promise.all([
          PostgresServer.start(),
          RedisServer.start(),
          freePort(),
        ]);
        const environment = {
          PORT: String(port),
          REUSE_PORT: 'true',
          DATABASE_URL: postgres.url,
          REDIS_URL: redis.url,
        };
        const servers = await Promise.all([1, 2].map(() => ServerProcess.start({ folder, environment })));
        const served = () => servers.map(({ stdout }) => stdout.split('"route":"/v1/pets"').length - 1);
        const connect = async (): Promise<void> => {
          const connection = await RawConnection.open(port);
          await connection
            .send('GET /v1/pets HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n')
            .untilClosed();
        };

        await Promise.all(Array.from({ length: CONNECTIONS }, connect));
        await within(LIMIT_MS, () => served().reduce((sum, count) => sum + count) === CONNECTIONS);
        const [ofFirst] = served();
        expect(ofFirst).toBeGreaterThan(0);
        expect(ofFirst).toBeLessThan(CONNECTIONS);

        expect(await servers[0]!.stop()).toMatchObject({ code: 0, stderr: '' });
        await Promise.all(Array.from({ length: CONNECTIONS }, connect));
        await within(LIMIT_MS, () => served().reduce((sum, count) => sum + count) === 2 * CONNECTIONS);
        expect(served()[0]).toBe(ofFirst);

        await servers[1]!.stop('SIGKILL');
        await Promise.all([postgres.stop(), redis.stop()]);
      },
      4 * LIMIT_MS,
    );
  } else {
    it('ends the start with one line, as this Node cannot share a port', async () => {
      const environment = { REUSE_PORT: 'true', DATABASE_URL: 'postgres://127.0.0.1:1/store' };
      expect(await runProgram('main.js', [], { folder, environment })).toEqual({
        code: 1,
        stdout: '',
        stderr: `REUSE_PORT must be false on Node ${process.versions.node} (sharing a port needs Node 22.12 or later), not "true".\n`,
      });
    });
  }
});
