// Makes dist/assets: what the pages of the service load. Scripts are bundled from libs/openapi/browser, names have
// a hash of their content, and texts are compressed once. With --if-needed it does nothing when no source is newer.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const FOLDER = 'dist/assets';
const BROWSER = 'libs/openapi/browser';
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The scripts of a page, by the file that they start with. */
const ENTRIES = ['explorer', 'theme', 'search/search'];
const SWAGGER_UI_STYLES = join(SWAGGER_UI, 'swagger-ui.css');
const FILES = [
  join(BROWSER, 'pages.css'),
  join(BROWSER, 'explorer.css'),
  SWAGGER_UI_STYLES,
  ...['swagger-ui-bundle.js', 'favicon-32x32.png'].map((name) => join(SWAGGER_UI, name)),
];
/** Rendered by the service itself. */
const TEXTS = { 'changelog.md': 'CHANGELOG.md', 'client.md': 'clients/typescript/README.md' };
/** Its package is built and packed, for callers to download. */
const CLIENT = 'clients/typescript';
const COMPRESSIBLE = ['.css', '.js'];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

if (process.argv.includes('--if-needed') && (await isCurrent())) process.exit();
const folder = `${FOLDER}-${process.pid}`;
await mkdir(folder, { recursive: true });
const assets = await Promise.all([...FILES.map(read), ...ENTRIES.map(bundle)]);
const named = await Promise.all(assets.map(add));
for (const [name, path] of Object.entries(TEXTS)) await cp(path, join(folder, name));
const pack = [join(CLIENT, 'pack.mjs'), '--silent', '--pack-destination', resolve(folder)];
execFileSync(process.execPath, pack, { stdio: ['ignore', 'ignore', 'inherit'] });
await writeFile(join(folder, 'assets.json'), JSON.stringify(Object.fromEntries(named), null, 2));
// A running server reads the folder, so it is never missing for longer than a moment.
await rename(FOLDER, `${folder}-old`).catch((error) => {
  if (error.code !== 'ENOENT') throw error;
});
await rename(folder, FOLDER);
await rm(`${folder}-old`, { recursive: true, force: true });

async function read(path) {
  const content = await readFile(path);
  // In a layer, so that every rule of our own stylesheets comes before its rules.
  const isLayer = path === SWAGGER_UI_STYLES;
  return { name: basename(path), content: isLayer ? Buffer.from(`@layer swagger-ui{${content}}`) : content };
}

async function bundle(entry) {
  const { build } = await import('rolldown');
  const { output } = await build({
    input: join(BROWSER, `${entry}.ts`),
    platform: 'browser',
    tsconfig: join(BROWSER, 'tsconfig.json'),
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    output: { format: 'iife', minify: true },
    write: false,
  });
  return { name: `${basename(entry)}.js`, content: Buffer.from(output[0].code) };
}

/** Writes an asset under its hashed name, with its compressed forms; those of the last build when it had the same content. */
async function add({ name, content }) {
  const type = extname(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const file = `${basename(name, type)}-${hash}${type}`;
  await writeFile(join(folder, file), content);
  if (COMPRESSIBLE.includes(type)) {
    // A tenth fewer bytes than at 9, for some seconds of the build.
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await writeAsBefore(`${file}.br`, () => brotli(content, { params }));
    await writeAsBefore(`${file}.gz`, () => gzipped(content, { level: 9 }));
  }
  return [name, file];
}

async function writeAsBefore(name, compress) {
  const before = await readFile(join(FOLDER, name)).catch(() => null);
  await writeFile(join(folder, name), before ?? (await compress()));
}

async function isCurrent() {
  const [built, ...sources] = await Promise.all([
    newestMs(join(FOLDER, 'assets.json')),
    ...[
      import.meta.filename,
      BROWSER,
      join(CLIENT, 'src'),
      join(CLIENT, 'package.json'),
      ...Object.values(TEXTS),
      ...FILES,
    ].map(newestMs),
  ]);
  return sources.every((changed) => changed <= built);
}

async function newestMs(path) {
  const stats = await stat(path).catch(() => null);
  if (!stats) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  const entries = await readdir(path);
  return Math.max(...(await Promise.all(entries.map((entry) => newestMs(join(path, entry))))));
}
