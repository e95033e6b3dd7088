import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@animal-store/kernel/testing';
import type { ModuleKind, PlainNestApplications } from './plain-nest-applications.js';

/** The program of the README, as it is pasted. */
export function describeIdempotency(
  installed: { readonly applications: PlainNestApplications },
  ...kinds: ModuleKind[]
): void {
  const runs = kinds.flatMap((kind) =>
    ['readme', 'readme.fastify'].map((program) => [kind, program] as const),
  );

  describe.each(runs)('Idempotency (%s, %s)', (kind, program) => {
    let url: string;
    let stop: () => Promise<void>;

    beforeAll(async () => {
      const port = await freePort();
      const child = spawn(process.execPath, [`out/idempotency.${program}.js`], {
        cwd: join(installed.applications.folder, kind),
        env: { PATH: process.env.PATH, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const exited = once(child, 'exit');
      stop = async () => {
        child.kill();
        await exited;
      };
      url = `http://127.0.0.1:${port}/voyages`;
      while (child.exitCode === null && !(await fetch(url).catch(() => null))) await delay(50);
    }, 60_000);

    afterAll(() => stop?.());

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
}
