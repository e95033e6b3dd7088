import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TestApp } from '../support/test-app.js';
import { INSTALL_WITHIN_MS, PackedClient } from './packed-client.js';

const ROLLDOWN = resolve(__dirname, '../../node_modules/rolldown/bin/cli.mjs');
const MODULE = '{ "type": "module" }';
const COMMON_JS = '{ "type": "commonjs" }';

/** The program in the README, and its receiver of webhooks. */
const [EXAMPLE, RECEIVER] = examplesIn(join(PackedClient.FOLDER, 'README.md')) as [string, string];
const GUIDES = resolve(__dirname, '../../docs/api');
/** Those of the guides; one guide continues with what another has opened. */
const OF_GUIDES = readdirSync(GUIDES).flatMap((name) => examplesIn(join(GUIDES, name)));

function examplesIn(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
}

const LISTING = `
import { animalStore } from 'animal-store-client';
const store = animalStore({ baseUrl: 'https://store.example/v1', apiKey: 'key' });
for await (const { name } of store.items('listPets', { status: 'available' })) console.log(name);
`;

describe('The TypeScript client, installed in a plain project outside the repository', () => {
  let packed: PackedClient;
  let service: TestApp;
  let environment: Record<string, string>;

  beforeAll(async () => {
    packed = await PackedClient.make();
    service = await TestApp.start();
    environment = { BASE_URL: `${await service.app.getUrl()}/v1`, API_KEY: await service.key() };
  }, INSTALL_WITHIN_MS);

  afterAll(async () => {
    packed?.remove();
    await service?.stop();
  });

  /** The output of the example. The ids differ in each run, because earlier runs have ordered the first animals. */
  const EXAMPLE_OUTPUT = /^\d+n Rex\n\{"id":\d+,"petId":\d+,"status":"placed",.*\}\n$/;

  it.each([
    ['nodenext, an ES module', MODULE, { module: 'nodenext' }],
    ['nodenext, CommonJS', COMMON_JS, { module: 'nodenext', skipLibCheck: true }],
    [
      'node10, CommonJS',
      COMMON_JS,
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', skipLibCheck: true },
    ],
  ])(
    'compiles and runs the example of its README with %s',
    async (name, packageJson, options) => {
      const project = await packed.project(name, { 'package.json': packageJson, 'app.ts': EXAMPLE });
      await project.compile(options);
      const { stdout, stderr } = await project.run([process.execPath, 'out/app.js'], environment);

      expect(stdout).toMatch(EXAMPLE_OUTPUT);
      expect(stderr).toMatch(/^\d+ requests left\n/);
    },
    INSTALL_WITHIN_MS,
  );

  it(
    'compiles and runs the example with moduleResolution bundler, bundled for browsers without Node modules',
    async () => {
      const project = await packed.project('bundler', { 'package.json': MODULE, 'app.ts': EXAMPLE });
      await project.compile({
        module: 'esnext',
        moduleResolution: 'bundler',
        noEmit: true,
        skipLibCheck: true,
      });
      const words = ['app.ts', '--platform', 'browser', '--format', 'esm', '--file', 'out/app.js'];
      await project.run([process.execPath, ROLLDOWN, ...words]);
      const { stdout } = await project.run([process.execPath, 'out/app.js'], environment);

      expect(stdout).toMatch(EXAMPLE_OUTPUT);
      expect(readFileSync(join(project.folder, 'out/app.js'), 'utf8')).not.toMatch(/require\(|from "/);
    },
    INSTALL_WITHIN_MS,
  );

  it.each([
    ['16 kB when a browser loads all of it', 16_000, "export * from 'animal-store-client';", Buffer.from],
    ['5 kB, compressed, in a program that lists', 5_000, LISTING, gzipSync],
  ])(
    'is at most %s',
    async (_, limit, program, sentAs) => {
      const project = await packed.project(`small-${limit}`, { 'app.js': program });
      const words = ['app.js', '--platform', 'browser', '--format', 'esm', '--minify', '--file', 'out.js'];
      await project.run([process.execPath, ROLLDOWN, ...words]);

      expect(sentAs(readFileSync(join(project.folder, 'out.js'))).length).toBeLessThanOrEqual(limit);
    },
    INSTALL_WITHIN_MS,
  );

  it(
    'has the same exports for import and require, and each build recognizes errors of the other',
    async () => {
      const project = await packed.project('both', {
        'both.mjs': `
          import { createRequire } from 'node:module';
          import { animalStore, InvalidApiKey, StoreError } from 'animal-store-client';
          const required = createRequire(import.meta.url)('animal-store-client');
          const options = { baseUrl: process.env.BASE_URL, apiKey: 'wrong' };
          for (const open of [animalStore, required.animalStore]) {
            const error = await open(options).listPets().catch((thrown) => thrown);
            console.log(error.code, error instanceof StoreError, error instanceof required.StoreError, error instanceof InvalidApiKey);
          }
          const { StoreError: Other } = required;
          const same = Object.keys(required).sort().join() === Object.keys(await import('animal-store-client')).sort().join();
          console.log(StoreError === Other, same);
        `,
      });
      const { stdout, stderr } = await project.run([process.execPath, 'both.mjs'], environment);

      expect({ stdout, stderr }).toEqual({
        stdout: 'invalid_api_key true true true\ninvalid_api_key true true true\nfalse true\n',
        stderr: '',
      });
    },
    INSTALL_WITHIN_MS,
  );

  it(
    'installs from its folder in the repository, which builds it',
    async () => {
      const print = "console.log(typeof require('animal-store-client').animalStore)";
      const project = await packed.project('folder', { 'app.cjs': print }, PackedClient.FOLDER);

      expect((await project.run([process.execPath, 'app.cjs'])).stdout).toBe('function\n');
    },
    INSTALL_WITHIN_MS,
  );

  it(
    'contains its README, LICENSE and CHANGELOG, but no sources, scripts or dependencies, and installs without a warning',
    async () => {
      const project = await packed.project('papers', {});
      const folder = join(project.folder, 'node_modules/animal-store-client');
      const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
      const { stdout } = await project.run(['ls', folder]);

      expect(stdout.trim().split('\n')).toEqual([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist',
        'package.json',
      ]);
      const readme = readFileSync(join(folder, 'README.md'), 'utf8');
      expect(readme).toContain('```sh\nnpm install ./animal-store-client-');
      expect(readme).not.toMatch(/repository|npm run/);
      expect(Object.keys(description)).not.toEqual(expect.arrayContaining(['scripts']));
      expect(Object.keys(description)).not.toEqual(expect.arrayContaining(['dependencies']));
      expect(project.warnings).not.toMatch(/animal-store-client/);
    },
    INSTALL_WITHIN_MS,
  );

  it(
    'compiles and runs the examples of the guides, and the receiver of its README',
    async () => {
      const address = environment['BASE_URL']!.replace('/v1', '');
      const programs = OF_GUIDES.join('').replaceAll('http://localhost:3000', address);
      const received = `
        const request = new Request('https://shop.example/webhooks', { method: 'POST', body: '{}' });
        console.log((await receive(request)).status);`;
      const project = await packed.project('guides', {
        'package.json': MODULE,
        'app.ts': `import './receiver.js';\n${programs}`,
        'receiver.ts': RECEIVER + received,
      });
      const key = environment['API_KEY']!;
      const body = JSON.stringify({ name: 'Ida', categoryId: 7 });
      await service.send('POST', '/v1/pets', key).type('json').send(body).expect(201);
      await project.compile({ module: 'nodenext', noUncheckedIndexedAccess: true });
      const { stdout } = await project.run([process.execPath, 'out/app.js'], {
        ...environment,
        WEBHOOK_SECRET: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmKXjlHFc=',
      });

      expect(OF_GUIDES.length).toBeGreaterThanOrEqual(1);
      // The request has no signature; each guide lists all animals.
      expect(stdout).toMatch(/^400\n/);
      expect(stdout.match(/^\d+n Ida$/gm)).toHaveLength(OF_GUIDES.length);
    },
    INSTALL_WITHIN_MS,
  );
});
