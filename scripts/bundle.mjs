// node scripts/bundle.mjs FOLDER NAME=FILE… puts each built program, with the packages it uses, into few files: to load
// some 1,300 takes a second of every start (docs/decisions/0011-programs-are-bundled.md).
import { readFile } from 'node:fs/promises';
import { build } from 'rolldown';

const [folder, ...programs] = process.argv.slice(2);

/** Packages that read files beside their own: they stay in node_modules. */
const LEFT_OUT = [/^better-sqlite3$/, /^ioredis$/, /^swagger-ui-dist(\/|$)/];

/** Traces show where in `src` and `libs`. Mapping the packages as well would cost memory in every process. */
const mapOwnSourcesOnly = {
  name: 'map-own-sources-only',
  load: {
    filter: { id: /\.[cm]?js$/ },
    async handler(id) {
      const code = await readFile(id, 'utf8');
      if (id.includes('node_modules')) return { code, map: { mappings: '' } };
      // What no compiler made is its own source.
      return id.endsWith('.mjs') ? { code } : { code, map: JSON.parse(await readFile(`${id}.map`, 'utf8')) };
    },
  },
};

/** It loads what it names by `require`, which no bundler sees: of these two packages there would be a second copy. */
const bundleRequiresOfMappedTypes = {
  name: 'bundle-requires-of-mapped-types',
  transform: {
    filter: { id: /@nestjs\/mapped-types\/.*\.js$/ },
    handler(code) {
      if (!code.includes(CREATED_REQUIRE)) return undefined;
      return { code: code.replace(CREATED_REQUIRE, ''), map: null };
    },
  },
};
const CREATED_REQUIRE = 'const require = createRequire(import.meta.url);';

/** Where an escape would not mean the character: after a backslash, and in a template that is read raw. */
const UNESCAPABLE = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f`]/;

/** V8 keeps a file in twice the memory for a single character beyond Latin-1; ASCII it need not even decode. */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      const problem = UNESCAPABLE.exec(file.code);
      if (problem) this.error(`${file.fileName}: ${problem[0]} cannot be written in ASCII.`);
      file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped);
    }
  },
};

function escaped(codeUnit) {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

await build({
  input: Object.fromEntries(programs.map((program) => program.split('='))),
  platform: 'node',
  external: LEFT_OUT,
  // Nothing is taken away, here and by `minify`: what looks unused may be there for what it throws, as a call of decodeURIComponent.
  treeshake: false,
  plugins: [bundleRequiresOfMappedTypes, mapOwnSourcesOnly, asciiOnly],
  output: {
    dir: folder,
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Module names are in the log, and names of classes in the document.
    keepNames: true,
    comments: false,
    // Every process holds this text in memory.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
  onLog(level, log, handle) {
    // What a package loads only where it is installed, such as @nestjs/microservices, is left to run time.
    const isOptional = log.code === 'UNRESOLVED_IMPORT' && log.message.includes('node_modules');
    if (!isOptional) handle(level, log);
  },
});
