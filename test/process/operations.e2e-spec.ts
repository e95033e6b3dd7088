import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseJson } from '@animal-store/kernel';
import { type RawResponse, RawConnection } from '@animal-store/web/testing';
import { VERSION } from '../../src/version.js';
import { FirstServer } from '../support/first-server.js';
import { freePort } from '@animal-store/kernel/testing';
import { type ServerProcess, within } from '../support/server-process.js';

const PER_MINUTE = 60;
/** All lines together exceed the buffers of the pipe and of its reader. */
const MANY_LINES = 1_000;
const AT_A_TIME = 100;
const ANIMAL = '{"name":"Rex","categoryId":7}';

describe('What the operator of a running server sees', () => {
  let settings: NodeJS.ProcessEnv;
  let first: FirstServer;
  let server: ServerProcess;
  let key: string;
  let bearer: string;

  beforeAll(async () => {
    settings = {
      METRICS_PORT: String(await freePort()),
      FREE_PER_MINUTE: String(PER_MINUTE),
      FREE_PER_DAY: '1000',
    };
    first = await FirstServer.start(settings);
    ({ key, process: server } = first);
    // The service buffers its log. After this the lines of the start have been written.
    await within(5_000, () => server.stdout.includes('/docs'));
    bearer = `Authorization: Bearer ${key}`;
  });

  afterAll(() => first.remove());

  /** Sends a request exactly as written. */
  async function send(requestLine: string, headers: readonly string[] = [], body = ''): Promise<RawResponse> {
    const connection = await RawConnection.open(server.port);
    const length = body === '' ? [] : [`Content-Length: ${body.length}`];
    const head = [`${requestLine} HTTP/1.1`, 'Host: store', 'Connection: close', ...headers, ...length];
    const [response] = await connection.send(`${head.join('\r\n')}\r\n\r\n${body}`).untilClosed();
    return response!;
  }

  /** Runs `work` and returns its log lines when there are `count`. */
  async function logged(count: number, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const before = server.stdout.length;
    await work();
    const lines = (): string[] => server.stdout.slice(before).trimEnd().split('\n');
    await within(5_000, () => lines().length >= count && lines().at(-1) !== '');
    return lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async function metrics(): Promise<string[]> {
    const response = await fetch(`http://127.0.0.1:${settings['METRICS_PORT']}/metrics`);
    return (await response.text()).split('\n').filter((line) => line.startsWith('animal_store_'));
  }

  describe('in the log', () => {
    it('is one line a request but for health checks: id, key id, method, route pattern, status and milliseconds', async () => {
      const responses: RawResponse[] = [];
      const lines = await logged(10, async () => {
        const json = 'Content-Type: application/json';
        await send('GET /health/live');
        for (const [line, headers, body] of [
          ['GET /v1/pets?limit=1', [bearer]],
          ['POST /v1/pets', [bearer, json], ANIMAL],
          ['GET /v1/pets/1', [bearer]],
          ['GET /v1/pets/999', [bearer]],
          ['POST /v1/pets', [bearer, json], '{"name":'],
          ['GET /v1/store/orders/%ff', [bearer]],
          ['DELETE /v1/pets', [bearer]],
          ['GET /v1/pets', []],
          ['GET /v1/nothing', [bearer]],
          ['BREW /v1/pets', []],
        ] as const) {
          responses.push(await send(line, headers, body));
        }
      });

      const fields = ['level', 'time', 'requestId', 'keyId', 'method', 'route', 'status', 'durationMs'];
      expect(Object.keys(lines[0]!)).toEqual(fields);
      expect(Object.keys(lines[3]!)).toEqual(fields.toSpliced(-1, 0, 'code'));
      expect(lines.map(({ requestId }) => requestId)).toEqual(
        responses.map(({ headers }) => headers['x-request-id']),
      );
      const keyId = lines[0]!['keyId'];
      expect(keyId).toMatch(/^key_[0-9a-f]+$/);
      const facts = ['method', 'route', 'status', 'code', 'keyId'];
      expect(lines.map((line) => facts.map((fact) => line[fact]))).toEqual([
        ['GET', '/v1/pets', 200, undefined, keyId],
        ['POST', '/v1/pets', 201, undefined, keyId],
        ['GET', '/v1/pets/:petId', 200, undefined, keyId],
        ['GET', '/v1/pets/:petId', 404, 'pet_not_found', keyId],
        ['POST', '/v1/pets', 400, 'invalid_json', keyId],
        ['GET', '/v1/store/orders/:orderId', 400, 'bad_request', keyId],
        ['DELETE', 'unmatched', 405, 'method_not_allowed', keyId],
        ['GET', '/v1/pets', 401, 'missing_api_key', null],
        ['GET', 'unmatched', 404, 'route_not_found', keyId],
        [null, 'unreadable', 400, 'bad_request', null],
      ]);
      for (const line of lines) {
        expect(line['level']).toBe('info');
        expect(line['durationMs']).toBeGreaterThan(0);
        expect(line['durationMs']).toBeLessThan(5_000);
      }
    });

    it('never has a key or a body, wherever the key was sent', async () => {
      const secret = key.slice('ask_live_'.length);
      const json = 'Content-Type: application/json';
      const lines = await logged(14, async () => {
        await send(`GET /v1/pets?api_key=${key}`);
        await send(`GET /v1/pets?status=${key}`, [bearer]);
        await send(`GET /v1/pets/${key}`, [bearer]);
        await send(`GET /v1/${key}/pets`, [bearer]);
        await send(`GET /${key}`);
        await send(`GET /%ff${key}`);
        await send('GET /v1/pets', [`Authorization: Basic ${key}`]);
        await send('GET /v1/pets', [`Authorization: Bearer ${key} ${key}`]);
        await send('GET /v1/pets', [`X-Request-Id: ${key}`, `Cookie: key=${key}`, `User-Agent: ${key}`]);
        await send('GET /v1/pets', [`Authorization : Bearer ${key}`]);
        await send(`GET /v1/pets${key} extra`, [bearer]);
        await send('POST /v1/pets', [bearer, json], `{"name":"${key}","categoryId":7}`);
        await send('POST /v1/pets', [bearer, json], `{"${key}":`);
        await send('POST /v1/pets', [bearer, json, `Idempotency-Key: ${key}`], ANIMAL);
      });

      expect(lines).toHaveLength(14);
      const text = JSON.stringify(lines);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('Rex');
      expect(server.stderr).not.toContain(secret);
    });
  });

  it('is healthy: alive and ready, without a key', async () => {
    expect((await send('GET /health/live')).body).toBe('{"status":"ok"}');
    const ready = JSON.parse((await send('GET /health/ready')).body) as object;
    expect(ready).toMatchObject({ status: 'ok', database: 'up', redis: 'off', jobs: 'up', version: VERSION });
  });

  it('is of one release and commit, as the log, the readiness and the metrics say', async () => {
    const { commit } = JSON.parse((await send('GET /health/ready')).body) as { commit: string };
    expect(commit).toMatch(/^([0-9a-f]{12}(-dirty)?|unknown)$/);
    expect(server.stdout).toContain(`"version":"${VERSION}","commit":"${commit}"`);
    expect(await metrics()).toContain(`animal_store_build_info{version="${VERSION}",commit="${commit}"} 1`);
  });

  describe('in the metrics, on a port of their own', () => {
    it('counts requests, what the limits decided, and bans', async () => {
      await logged(2, () => Promise.all([send('GET /v1/pets/1', [bearer]), send('GET /v1/pets/1')]));
      // Until the key is banned, and once more.
      const flood = await Promise.all(Array.from({ length: 90 }, () => send('GET /v1/pets', [bearer])));
      const codes = flood.flatMap(({ status, body }) =>
        status === 200 ? ['allowed'] : [(JSON.parse(body) as { code: string }).code],
      );
      const count = (code: string): number => codes.filter((other) => other === code).length;
      expect(count('api_key_banned')).toBeGreaterThan(1);

      const lines = await within(5_000, async () => {
        const samples = await metrics();
        return (
          samples.some((line) => line.endsWith(`"listPets",status="429"} ${90 - count('allowed')}`)) &&
          samples
        );
      });
      const value = (sample: string): number =>
        Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length + 1));
      expect(value('animal_store_http_requests_total{operation="getPet",status="401"}')).toBe(1);
      expect(value('animal_store_http_requests_total{operation="unreadable",status="400"}')).toBe(3);
      expect(value('animal_store_http_requests_total{operation="unmatched",status="405"}')).toBe(1);
      expect(value('animal_store_http_request_duration_seconds_count{operation="createPet"}')).toBe(5);
      expect(value('animal_store_rate_limit_decisions_total{outcome="allowed",plan="free"}')).toBe(
        PER_MINUTE,
      );
      expect(
        value('animal_store_rate_limit_decisions_total{outcome="rate_limit_exceeded",plan="free"}'),
      ).toBe(count('rate_limit_exceeded'));
      expect(value('animal_store_rate_limit_decisions_total{outcome="api_key_banned",plan="free"}')).toBe(
        count('api_key_banned'),
      );
      expect(value('animal_store_rate_limit_bans_total{plan="free"}')).toBe(1);
      expect(value('animal_store_dependency_up{dependency="database"}')).toBe(1);
      expect(value('animal_store_connections_dropped_total')).toBe(0);
    });

    it('names no path, address or key', async () => {
      const text = (await metrics()).join('\n');

      expect(text).not.toMatch(/\/v1|127\.0\.0\.1|ask_live_/);
    });

    it('is not served on the port of the service', async () => {
      expect((await send('GET /metrics')).status).toBe(404);
    });

    it('has the calls of a deprecated operation, by key, also after a restart', async () => {
      await server.stop('SIGTERM');
      await first.restart(settings);
      server = first.process;

      const ofTheKey = /^animal_store_deprecated_calls\{operation="getPet",key_id="key_[0-9a-f]+"\} [1-9]/;
      await within(5_000, async () => (await metrics()).some((line) => ofTheKey.test(line)));
    });
  });

  it('is the document in docs/openapi.json, so every class has the name in its source', async () => {
    const text = await (await server.get('/openapi.json')).text();
    // The example of an expiry is noon in a year.
    const served = text.replace(/"\d{4}-\d\d-\d\dT12:00:00Z"/g, '"2027-03-14T12:00:00Z"');

    expect(parseJson(served)).toEqual(parseJson(readFileSync(resolve('docs/openapi.json'), 'utf8')));
  });

  it('is the explorer, with files that the build has made', async () => {
    const page = await (await server.get('/docs/')).text();
    const script = /data-script="([^"]*swagger-ui-bundle[^"]*)"/.exec(page)![1]!;

    expect((await server.get(new URL(script, 'http://store/docs/').pathname)).status).toBe(200);
  });

  describe('when the reader of standard output has stalled', () => {
    beforeEach(async () => {
      server.drainStdout();
      server.stallStdout();
      for (let sent = 0; sent < MANY_LINES; sent += AT_A_TIME) {
        const connection = await RawConnection.open(server.port);
        await connection
          .send('GET /nowhere HTTP/1.1\r\nHost: store\r\nX-Request-Id: stalled\r\n\r\n'.repeat(AT_A_TIME))
          .until(AT_A_TIME);
        connection.close();
      }
    });

    it('does not prevent the process from exiting after SIGTERM', async () => {
      server.signal('SIGTERM');
      await within(8_000, () => server.hasEnded);
      server.readStdoutOn();
      expect((await server.end).code).toBe(0);
    });
  });
});
