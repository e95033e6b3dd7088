// What a build is made from, and what makes it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

/** What `npm prune --omit=dev` removes. */
const TOOLS = ['@nestjs/cli', '@swc/cli', '@swc/core', 'rolldown', 'typescript'];
/** Files that are no part of a build. */
const NOT_BUILT = /\.(spec|contract)\.ts$|^(testing|dist|node_modules)$/;
/** Files of a library that are not built into the programs. */
const OF_LIBRARIES = /^libs\/[^/]+\/(?!src\/|package\.json$)/;
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  '.swcrc',
];
const CLIENT = ['README.md', 'package.json', 'build.mjs', 'pack.mjs', 'tsconfig.json', 'src'];

/** The parts of a build, each with what it is made from. */
const SOURCES = {
  programs: ['src', 'libs', 'scripts/build', ...SETTINGS],
  assets: [
    ...['libs/openapi/browser', 'scripts/build', 'CHANGELOG.md', 'docs/api'],
    'node_modules/swagger-ui-dist/package.json',
    ...CLIENT.map((name) => `clients/typescript/${name}`),
  ],
};
export const PARTS = Object.keys(SOURCES);

export function canBuild() {
  return existsSync('src') && TOOLS.every((name) => existsSync(`node_modules/${name}/package.json`));
}

/** A hash of the content of the files, and not of their times: npm writes an unchanged package-lock.json again. */
export function fingerprintOf(part) {
  const hash = createHash('sha256');
  const files = SOURCES[part].flatMap(filesIn);
  for (const file of files.filter((one) => part !== 'programs' || !OF_LIBRARIES.test(one)))
    hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path).filter((entry) => !NOT_BUILT.test(entry));
  return entries.sort().flatMap((entry) => filesIn(`${path}/${entry}`));
}
