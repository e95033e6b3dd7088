import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALL_WITHIN_MS, loading, type Printed, ROOT, run } from '../packed-client.js';
import { LIBRARIES } from './plain-nest-applications.js';

const TOOLS = join(ROOT, 'test/tools/node_modules');
const PUBLINT = join(TOOLS, 'publint/src/cli.js');
const ATTW = join(TOOLS, '@arethetypeswrong/cli/dist/index.js');

type Words = readonly [program: string, ...words: string[]];

/** How each package manager adds packages, and runs Node with them. */
const MANAGERS: Record<string, { add: Words; node: Words }> = {
  pnpm: { add: [process.execPath, join(TOOLS, 'pnpm/bin/pnpm.cjs'), 'add'], node: ['node'] },
  yarn: {
    add: [process.execPath, join(TOOLS, '@yarnpkg/cli-dist/bin/yarn.js'), 'add'],
    node: [process.execPath, join(TOOLS, '@yarnpkg/cli-dist/bin/yarn.js'), 'node'],
  },
};

const nest = (version: number) =>
  ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${version}`);

const tarballOf = (library: string): string => {
  const folder = process.env.LIBRARY_TARBALLS!;
  const file = readdirSync(folder).find((name) => name.startsWith(`animal-store-${library}-`));
  return join(folder, file!);
};

/** What the README of a library says to install, with the tarball for the library itself. */
const installedBy = (library: string): string[] => {
  const text = readFileSync(join(ROOT, 'libs', library, 'README.md'), 'utf8');
  const [, names] = /npm install (\.[^#\n]*)/.exec(text)!;
  return names!
    .trim()
    .split(' ')
    .map((name) => (name.startsWith(`./animal-store-${library}-`) ? tarballOf(library) : name));
};

describe('The tarball of each library', () => {
  let place: string;
  let yarnSettings: Record<string, string>;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'animal-store-alone-'));
    // Yarn does not read the settings of npm.
    const setting = async (name: string) => (await run(ROOT, ['npm', 'config', 'get', name])).stdout.trim();
    const authorities = await setting('cafile');
    yarnSettings = {
      YARN_ENABLE_TELEMETRY: '0',
      // A package finds only what it names as its own. Nest 12 does not load without node_modules.
      YARN_NODE_LINKER: 'pnpm',
      YARN_NPM_REGISTRY_SERVER: await setting('registry'),
      ...(authorities !== 'null' && { YARN_HTTPS_CA_FILE_PATH: authorities }),
    };
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  /** Installs the libraries as their READMEs say, beside Nest, and loads each. Their READMEs are typed with npm. */
  async function load(manager: string, version: number): Promise<Printed> {
    const folder = join(place, `${manager}-${version}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // Without it, Yarn would take a folder further up for the project.
    if (manager === 'yarn') writeFileSync(join(folder, 'yarn.lock'), '');
    writeFileSync(join(folder, 'load.js'), loading(LIBRARIES.map((library) => `@animal-store/${library}`)));
    const { add, node } = MANAGERS[manager]!;
    const packages = [...LIBRARIES.flatMap(installedBy), ...nest(version), 'reflect-metadata', 'rxjs'];
    await run(folder, [...add, ...new Set(packages)], yarnSettings);
    return run(folder, [...node, 'load.js'], yarnSettings);
  }

  it.each([
    ['pnpm', 11],
    ['pnpm', 12],
    ['yarn', 11],
    ['yarn', 12],
  ])(
    'finds what it needs where %s installs it, on Nest %i',
    async (manager, version) => {
      expect((await load(manager, version)).stdout).toBe('loaded\n');
    },
    INSTALL_WITHIN_MS,
  );

  it.each(LIBRARIES)(
    '%s has entries that every module system and TypeScript find',
    async (library) => {
      await run(ROOT, [process.execPath, PUBLINT, tarballOf(library), '--strict']);
      await run(ROOT, [process.execPath, ATTW, tarballOf(library)]);
    },
    INSTALL_WITHIN_MS,
  );

  it.each([
    ['api-keys@0.0.1', 'the package.json of api-keys has version'],
    ['web@1.0.0', 'web is private'],
    ['nothing@1.0.0', 'there is no library "nothing"'],
  ])('is not released as %s', async (tag, reason) => {
    const releasing = run(ROOT, [process.execPath, 'scripts/release-library.mjs', tag]);
    await expect(releasing).rejects.toThrow(reason);
  });

  it.each(LIBRARIES)('%s can be released: its version is the newest of its changelog', (library) => {
    const read = (file: string) => readFileSync(join(ROOT, 'libs', library, file), 'utf8');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const [newest] = /^## \d.*$/m.exec(read('CHANGELOG.md'))!;
    expect(newest).toBe(`## ${version}`);
  });

  it('says where its sources are when it is packed for a release', async () => {
    const words = ['scripts/pack-libraries.mjs', 'deprecation', '--pack-destination', place];
    await run(ROOT, [process.execPath, ...words], { REPOSITORY_URL: 'https://git.example/ships' });
    const [tarball] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
    const { stdout } = await run(place, ['tar', '-xOf', tarball!, 'package/package.json']);
    expect(JSON.parse(stdout)).toMatchObject({
      publishConfig: { access: 'public' },
      repository: { type: 'git', url: 'git+https://git.example/ships.git', directory: 'libs/deprecation' },
      homepage: 'https://git.example/ships/tree/main/libs/deprecation#readme',
      bugs: 'https://git.example/ships/issues',
    });
  }, 60_000);

  it('is the only way out: the folder of a library does not publish', async () => {
    const packing = run(join(ROOT, 'libs/api-keys'), ['npm', 'pack', '--dry-run']);
    await expect(packing).rejects.toThrow('npm run dev -- libs:pack');
  });
});
