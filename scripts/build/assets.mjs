// Makes what the pages of the service load. Scripts are bundled from libs/openapi/browser, names have a hash of their
// content, and texts are compressed once.
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The assets of the last build. */
const LAST = 'dist/assets';
const BROWSER = 'libs/openapi/browser';
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The scripts of a page, by the file that they start with. */
const ENTRIES = ['explorer', 'theme', 'search/search'].map((name) => join(BROWSER, `${name}.ts`));
/** The modules of Swagger UI: its own bundle is a twentieth larger than what our bundler makes of them. */
const SWAGGER_UI_SCRIPT = join(SWAGGER_UI, 'swagger-ui-es-bundle.js');
const SWAGGER_UI_STYLES = join(SWAGGER_UI, 'swagger-ui.css');
const FILES = [
  join(BROWSER, 'pages.css'),
  join(BROWSER, 'explorer.css'),
  SWAGGER_UI_STYLES,
  join(SWAGGER_UI, 'favicon-32x32.png'),
];
/** Rendered by the service itself. */
const TEXTS = {
  'changelog.md': 'CHANGELOG.md',
  'client.md': 'clients/typescript/README.md',
  guides: 'docs/api',
};
/** The client, whose package is built and packed for callers to download. */
const CLIENT = 'clients/typescript';
const COMPRESSIBLE = ['.css', '.js'];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const run = promisify(execFile);

export async function makeAssets(folder) {
  await mkdir(folder);
  const pack = [join(CLIENT, 'pack.mjs'), '--silent', '--pack-destination', resolve(folder)];
  const packed = run(process.execPath, pack);
  const assets = await Promise.all([...FILES.map(read), ...[...ENTRIES, SWAGGER_UI_SCRIPT].map(bundle)]);
  const named = await Promise.all(assets.map((asset) => add(folder, asset)));
  for (const [name, path] of Object.entries(TEXTS)) await cp(path, join(folder, name), { recursive: true });
  await packed;
  // Files of earlier builds may be beside these.
  const client = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  const guides = await readdir(join(folder, 'guides'));
  const files = Object.fromEntries(named);
  await writeFile(join(folder, 'assets.json'), JSON.stringify({ client, guides, files }, null, 2));
}

async function read(path) {
  const content = await readFile(path);
  if (path !== SWAGGER_UI_STYLES) return { name: basename(path), content };
  const styles = usedStyles(String(content), await readFile(SWAGGER_UI_SCRIPT, 'utf8'));
  // In a layer, so that every rule of our own stylesheets has precedence.
  return { name: basename(path), content: Buffer.from(`@layer swagger-ui{${styles}}`) };
}

/** Drops the rules for classes that the script never names. */
function usedStyles(styles, script) {
  const words = new Set([...script.matchAll(/["'` ]([a-z][\w-]*)/gi)].map(([, word]) => word));
  // Our pages set it.
  words.add('dark-mode');
  const isNamed = (name) =>
    words.has(name) ||
    [...name.matchAll(/[-_]+/g)].some(({ 0: end, index }) => words.has(name.slice(0, index) + end));
  const isUsed = (selector) => {
    const classes = selector.replace(/:not\([^)]*\)/g, '').matchAll(/\.((?:\\.|[\w-])+)/g);
    return [...classes].every(([, name]) => isNamed(name.replaceAll('\\', '')));
  };
  return styles
    .replace(/([^{}@]+)(\{[^{}]*\})/g, (_, selectors, rule) => {
      const used = selectors.split(',').filter(isUsed);
      return used.length === 0 ? '' : used.join(',') + rule;
    })
    .replace(/@media[^{}]*\{\s*\}/g, '');
}

async function bundle(entry) {
  const { build } = await import('rolldown');
  const { output } = await build({
    input: entry,
    platform: 'browser',
    tsconfig: join(BROWSER, 'tsconfig.json'),
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    output: { format: 'iife', minify: true, name: 'SwaggerUIBundle' },
    write: false,
  });
  const name = basename(entry, extname(entry)).replace('-es-', '-');
  return { name: `${name}.js`, content: Buffer.from(output[0].code) };
}

/** Writes an asset under its hashed name, with its compressed forms, which are copied when the last build had them. */
async function add(folder, { name, content }) {
  const type = extname(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const file = `${basename(name, type)}-${hash}${type}`;
  await writeFile(join(folder, file), content);
  if (COMPRESSIBLE.includes(type)) {
    // The highest quality has hardly fewer bytes, and takes longer than all else that the first start waits for.
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY - 1,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await writeAsBefore(folder, `${file}.br`, () => brotli(content, { params }));
    await writeAsBefore(folder, `${file}.gz`, () => gzipped(content, { level: 9 }));
  }
  return [name, file];
}

async function writeAsBefore(folder, name, compress) {
  const before = await readFile(join(LAST, name)).catch(() => null);
  await writeFile(join(folder, name), before ?? (await compress()));
}
