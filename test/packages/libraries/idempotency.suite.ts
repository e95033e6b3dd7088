import { randomUUID } from 'node:crypto';
import { hasPostgres, PostgresServer } from '@animal-store/database/testing';
import type {
  ModuleKind,
  PlainNestApplications,
  RunningApplication,
  RunningProgram,
} from './plain-nest-applications.js';

/** The program of the README, as it is pasted. */
export function describeIdempotency(
  installed: { readonly applications: PlainNestApplications },
  ...kinds: ModuleKind[]
): void {
  const runs = kinds.flatMap((kind) =>
    ['readme', 'readme.fastify'].map((program) => [kind, program] as const),
  );

  describe.each(runs)('Idempotency (%s, %s)', (kind, program) => {
    let running: RunningProgram;
    let url: string;

    beforeAll(async () => {
      running = await installed.applications.startProgram(kind, `out/idempotency.${program}.js`);
      url = `${running.url}/voyages`;
    }, 60_000);

    afterAll(() => running?.stop());

    function book(key: string, ship: string | null): Promise<Response> {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
      return fetch(url, { method: 'POST', headers, body: JSON.stringify({ ship }) });
    }

    const count = async () => ((await (await fetch(url)).json()) as object[]).length;

    it('does once what is sent twice, and stores nothing of what fails', async () => {
      const key = randomUUID();
      const before = await count();
      expect((await book(key, null)).status).toBe(500);
      const first = await book(key, 'Ada');
      const retry = await book(key, 'Ada');

      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await retry.json()).toEqual(await first.json());
      expect(await (await book(key, 'Bob')).json()).toMatchObject({ code: 'idempotency_key_reused' });
      expect((await book('a b', 'Bob')).status).toBe(400);
      expect(await count()).toBe(before + 1);
    });
  });

  const stores = kinds.flatMap((kind) => [
    [kind, 'express', 'SQLite'] as const,
    [kind, 'fastify', 'SQLite'] as const,
    ...(hasPostgres() ? [[kind, 'fastify', 'PostgreSQL'] as const] : []),
  ]);

  describe.each(stores)('A replay (%s, %s, %s)', (kind, adapter, database) => {
    let postgres: PostgresServer | undefined;
    let app: RunningApplication;

    beforeAll(async () => {
      if (database === 'PostgreSQL') postgres = await PostgresServer.start();
      const databaseUrl = postgres?.url ?? '';
      app = await installed.applications.start(kind, { adapter, databaseUrl }, 'idempotency.main');
    }, 60_000);

    afterAll(async () => {
      await app?.stop();
      await postgres?.stop();
    });

    function send(path: string, key: string, type?: string, body?: string): Promise<Response> {
      const headers = { 'Idempotency-Key': key, ...(type && { 'Content-Type': type }) };
      return app.fetch(`/berths/${path}`, undefined, { method: 'POST', headers, body });
    }

    const shown = async (response: Response) => [
      response.status,
      response.headers.get('content-type'),
      await response.text(),
    ];

    it.each(['number', 'text', 'boolean', 'null', 'nothing'])('is a %s as it was', async (value) => {
      const [first, again] = [await send(`like/${value}`, value), await send(`like/${value}`, value)];
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await shown(again)).toEqual(await shown(first));
    });

    it('of bytes there is none: the response is 500 each time', async () => {
      const responses = [await send('like/bytes', 'bytes'), await send('like/bytes', 'bytes')];
      expect(responses.map(({ status }) => status)).toEqual([500, 500]);
    });

    const BYTES = 'application/octet-stream';
    const JSON_TYPE = 'application/json';

    it.each<[name: string, type: string | undefined, body: string | undefined]>([
      ['bytes', BYTES, 'Ada'],
      ['nothing', undefined, undefined],
      // Express takes no JSON that is neither an object nor a list.
      ...(adapter === 'fastify' ? [['null', JSON_TYPE, 'null'] as [string, string, string]] : []),
    ])('belongs to the body that it was sent with: %s', async (name, type, body) => {
      const key = `weighed-${name}`;
      const [first, again] = [await send('weigh', key, type, body), await send('weigh', key, type, body)];
      expect([first.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await again.json()).toEqual(await first.json());
      expect((await send('weigh', key, BYTES, 'Bob')).status).toBe(422);
      expect((await send('weigh', key, JSON_TYPE, '{"ship":"Ada"}')).status).toBe(422);
    });

    it('is given to one of two requests that are sent at once', async () => {
      const [first, second] = await Promise.all([send('weigh', 'at-once'), send('weigh', 'at-once')]);
      const statuses = [first.status, second.status].sort();
      expect([
        [201, 201],
        [201, 409],
      ]).toContainEqual(statuses);
      if (statuses[1] === 201) expect(await first.json()).toEqual(await second.json());
    });
  });
}
