import { createInterface } from 'node:readline';
import { type ModuleKind, type PlainNestApplications, programsOf } from './plain-nest-applications.js';

const MINUTES_MS = 60_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The suite of the port, on the store of the tarball, under the test runner of Node. */
const CONTRACT = `
const { test } = require('node:test');
const { DataSource } = require('typeorm');
const { apiKeyTables, TypeOrmKeyStore } = require('@animal-store/api-keys/typeorm');
const { managedKeyStoreChecks } = require('@animal-store/api-keys/contract');
for (const { name, check } of managedKeyStoreChecks())
  test(name, async () => {
    const database = new DataSource({ type: 'better-sqlite3', database: ':memory:', ...apiKeyTables });
    await database.initialize();
    await check(new TypeOrmKeyStore(database)).finally(() => database.destroy());
  });
`;

/** The application of the README that issues keys, as it is pasted. */
export function describeIssuing(
  installed: { readonly applications: PlainNestApplications },
  type: ModuleKind,
): void {
  describe('Issuing keys', () => {
    const program = programsOf('api-keys').find((one) => one.includes('KeysController'));

    it('takes some twenty lines, besides imports and what only closes a bracket', () => {
      const lines = program!.split('\n').filter((line) => line.trim() && !/^(import .*|[\s})]*)$/.test(line));
      expect(lines.length).toBeLessThanOrEqual(24);
    });

    it(
      `works as the README has it, in a package of type ${type}`,
      async () => {
        const { applications } = installed;
        const folder = `issuing-${type}`;
        applications.write(`${folder}/package.json`, JSON.stringify({ type }));
        applications.write(`${folder}/src/main.ts`, program!);
        const module = { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2023', strict: true };
        const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };
        const compilerOptions = {
          ...module,
          ...decorators,
          skipLibCheck: true,
          types: ['node'],
          rootDir: 'src',
          outDir: 'out',
        };
        applications.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['src'] }));
        expect(await applications.runCompiler(folder)).toEqual({ stdout: '', stderr: '' });

        const { url, stdout, stop } = await applications.startProgram(folder, 'out/main.js');
        try {
          let first = '';
          for await (const line of createInterface(stdout)) {
            if (!line.startsWith('acme_')) continue;
            first = line;
            break;
          }
          const send = (method: string, path: string, key: string, body?: object) =>
            fetch(`${url}${path}`, {
              method,
              headers: { ...JSON_TYPE, Authorization: `Bearer ${key}` },
              ...(body && { body: JSON.stringify(body) }),
            });
          const made = await send('POST', '/keys', first, {
            name: 'Till',
            scopes: ['ships:read', 'keys:manage'],
          });
          expect(made.status).toBe(201);
          const { id, text } = (await made.json()) as { id: string; text: string };
          expect((await send('POST', '/keys', text, { name: 'more', scopes: ['ships:write'] })).status).toBe(
            403,
          );
          expect((await send('POST', '/keys', text, { name: 7 })).status).toBe(400);
          const narrow = (await (
            await send('POST', '/keys', text, { name: 'a', scopes: ['ships:read'] })
          ).json()) as {
            text: string;
          };
          expect((await send('POST', '/keys', narrow.text, { name: 'b' })).status).toBe(403);
          expect((await send('DELETE', '/keys/key_nobody', text)).status).toBe(404);
          expect((await send('DELETE', `/keys/${id}`, first)).status).toBe(200);
          // At once, as the acting key is locked; a moment later it is not even known.
          expect([401, 409]).toContain((await send('POST', '/keys', text, { name: 'c' })).status);
        } finally {
          await stop();
        }
      },
      MINUTES_MS,
    );

    it(
      'has a store that passes the suite of the tarball',
      async () => {
        installed.applications.write('contract/contract.cjs', CONTRACT);
        const { stdout } = await installed.applications.run(
          'contract',
          '--test',
          '--test-reporter=tap',
          'contract.cjs',
        );
        expect(stdout).toMatch(/# pass 13\n# fail 0/);
      },
      MINUTES_MS,
    );
  });
}
