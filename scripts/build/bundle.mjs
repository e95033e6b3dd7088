// Bundles each compiled program with its packages into a few files. Loading every file by itself would delay each
// start.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve as absolute } from 'node:path';
import { build } from 'rolldown';

/** These packages read files of their own, so they stay in node_modules. */
const LEFT_OUT = [/^better-sqlite3$/, /^ioredis$/, /^swagger-ui-dist(\/|$)/];

/** Stack traces show the places in `src` and `libs`. */
const mapOwnSources = {
  name: 'map-own-sources',
  load: {
    filter: { id: { include: /\.js$/, exclude: /node_modules/ } },
    handler: async (id) => ({
      code: await readFile(id, 'utf8'),
      map: JSON.parse(await readFile(`${id}.map`, 'utf8')),
    }),
  },
};

/** The packages get chunks of their own: one for each set of programs that loads them. */
const PACKAGES = { name: 'node-packages', test: /node_modules/, entriesAware: true };

/** A place in a map that has a name: five numbers, whose last digits are A to f. */
const NAMED = /((?:[g-z\d+/]*[A-Za-f]){4})[g-z\d+/]*[A-Za-f]/g;

/**
 * Node measures each line of a file that has a map at every start, and a map costs memory in every process. Names in
 * maps are those of the code.
 */
const smallMaps = {
  name: 'small-maps',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      const map = files[file.sourcemapFileName];
      if (map && !file.name.startsWith(PACKAGES.name)) {
        const { mappings, ...others } = JSON.parse(map.source);
        map.source = JSON.stringify({ ...others, names: [], mappings: mappings.replace(NAMED, '$1') });
        continue;
      }
      delete files[file.sourcemapFileName];
      file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*$/, '');
    }
  },
};

/** TypeORM loads the drivers of every database it knows. These would be compiled at each start, and never used. */
const leaveOutOtherDrivers = {
  name: 'leave-out-other-drivers',
  load: {
    filter: {
      id: /\/typeorm\/driver\/(aurora|capacitor|cockroachdb|cordova|expo|mongodb|mysql|nativescript|oracle|react|sap|spanner|sqljs|sqlserver)/,
    },
    handler: () => ({ code: 'exports.__esModule = true;', map: { mappings: '' } }),
  },
};

/** The messages of zod in each language it knows. Only the English ones are used. */
const leaveOutOtherLanguages = {
  name: 'leave-out-other-languages',
  load: {
    filter: { id: { include: /\/zod\/v4\/locales\//, exclude: /\/(en|index)\.c?js$/ } },
    handler: () => ({ code: 'export default undefined;', map: { mappings: '' } }),
  },
};

const LARGE = /^(@sqltools\/formatter|iconv-lite|libphonenumber-js)(\/|$)/;
const ON_USE = /require\(['"](@sqltools\/formatter|iconv-lite|libphonenumber-js\/max)['"]\)/;
const usersOfLarge = new Set();
const { resolve } = createRequire(import.meta.url);

/** Large packages for what this service does rarely or never: they stay in node_modules, and are loaded on use. */
const loadOnUse = {
  name: 'load-on-use',
  transform: {
    filter: { id: /node_modules\/(body-parser|class-validator|raw-body|typeorm)\/.*\.js$/ },
    handler(code, id) {
      if (!ON_USE.test(code)) return undefined;
      usersOfLarge.add(id);
      return { code: code.replace(ON_USE, 'new Proxy({}, { get: (_, name) => $&[name] })'), map: null };
    },
  },
  resolveId: {
    filter: { id: LARGE },
    handler(id, user) {
      const refuse = (why) => this.error(`${user} ${why}`);
      if (!usersOfLarge.has(user)) refuse(`loads ${id} at once: load-on-use no longer matches it.`);
      if (createRequire(user).resolve(id) !== resolve(id))
        refuse(`has its own copy of ${id}, which dist cannot load.`);
      return { id, external: true };
    },
  },
};

/** The bundler does not see how @nestjs/mapped-types requires these two packages, and would add a second copy. */
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

/** Places where an escape sequence would not be the character: after a backslash, and in a raw template. */
const UNESCAPABLE = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f`]/;

/** A single character beyond Latin-1 doubles the memory of a file in V8. ASCII need not even be decoded. */
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

const MODULE = /\b(__commonJSMin|__esmMin)\(\((?:\(([\w$, ]*)\)|([\w$]+))=>\{/g;

/**
 * Each module of a package is a function, called at once. V8 knows this of a function in parentheses. An arrow function
 * it reads when the file is loaded, and again when it is called.
 */
const readModulesOnce = {
  name: 'read-modules-once',
  generateBundle(options, files) {
    let count = 0;
    const asFunction = (found, wrapper, parameters, parameter) => {
      count++;
      return `${wrapper}((function(${parameters ?? parameter}){`;
    };
    for (const file of Object.values(files)) {
      // The other chunks have maps, which this would make wrong.
      if (file.type !== 'chunk' || !file.name.startsWith(PACKAGES.name)) continue;
      file.code = file.code.replace(MODULE, asFunction);
    }
    if (count === 0) this.error('No module was found: the bundler now writes them in another way.');
  },
};

/**
 * @param compiled the folder of the compiled libraries
 * @param to the folder where the programs are written
 * @param programs the file of each program, by its name
 */
export async function bundle({ compiled, to, programs }) {
  const { output } = await build({
    input: programs,
    platform: 'node',
    external: LEFT_OUT,
    resolve: { alias: librariesIn(compiled) },
    // No tree shaking, here or in `minify`: code that looks unused may be there for the error it throws, such as a call
    // of decodeURIComponent.
    treeshake: false,
    plugins: [
      leaveOutOtherDrivers,
      leaveOutOtherLanguages,
      loadOnUse,
      bundleRequiresOfMappedTypes,
      mapOwnSources,
      readModulesOnce,
      asciiOnly,
      smallMaps,
    ],
    output: {
      dir: to,
      entryFileNames: 'chunks/[name]-[hash].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // Names of classes appear in the log and in the OpenAPI document.
      keepNames: true,
      comments: false,
      // Every process has this text in memory.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: { groups: [PACKAGES] },
    },
    onLog(level, log, handle) {
      if (log.code !== 'UNRESOLVED_IMPORT') return handle(level, log);
      // Optional packages, such as @nestjs/microservices, are resolved at run time.
      if (log.message.includes('node_modules')) return;
      const [, imported, file] = /'(.+?)' in (\S+)/.exec(log.message);
      const source = relative(compiled, file).replace(/\.js$/, '.ts');
      process.stderr.write(`${source} imports ${imported}, which is not found.\n`);
      process.exit(1);
    },
  });
  for (const { isEntry, name, fileName } of output) {
    if (isEntry) await writeFile(join(to, `${name}.js`), starterOf(fileName));
  }
}

/** The compiled files of each library here, by the names that others import. Links may be of another build. */
function librariesIn(folder) {
  const compiled = readdirSync('libs').flatMap((library) => {
    const { name, exports } = JSON.parse(readFileSync(`libs/${library}/package.json`, 'utf8'));
    return Object.entries(exports)
      .filter(([, file]) => file.default)
      .map(([entry, file]) => [
        `${name}${entry.slice(1)}$`,
        absolute(folder, 'libs', library, file.default.replace('./dist', 'src')),
      ]);
  });
  return Object.fromEntries(compiled);
}

/** An older Node cannot load a program, and would print a part of it. */
function starterOf(file) {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [major, minor] = engines.node.match(/\d+/g);
  return `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  process.stderr.write(\`Node ${major}.${minor} or later is needed, and this is \${process.version}: install a later one.\\n\`);
  process.exit(1);
}
await import('./${file}');
`;
}
