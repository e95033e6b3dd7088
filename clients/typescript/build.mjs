// Compiles src into ES modules for `import` (esm/) and CommonJS for `require` (cjs/), both with types.
// `node build.mjs [folder]`; the folder is dist when left out.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const out = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist'));
const [esm, cjs] = [join(out, 'esm'), join(out, 'cjs')];
const compiler = compilerPath();

rmSync(out, { recursive: true, force: true });
const words = ['--project', join(import.meta.dirname, 'tsconfig.json'), '--outDir', esm];
const { status } = spawnSync(process.execPath, [compiler, ...words], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

// Type checks run only once, as the second build differs only in its imports and exports.
const { transpile, ModuleKind, ScriptTarget } = require('typescript');
cpSync(esm, cjs, { recursive: true });
for (const name of readdirSync(cjs, { recursive: true })) {
  if (!name.endsWith('.js')) continue;
  const settings = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
  writeFileSync(join(cjs, name), transpile(readFileSync(join(esm, name), 'utf8'), settings, name));
}
// Node uses the nearest package.json, and that of the package says "module".
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');

function compilerPath() {
  try {
    return require.resolve('typescript/bin/tsc');
  } catch {
    process.stderr.write('TypeScript is missing: run "npm ci" in the root of the repository first.\n');
    process.exit(1);
  }
}
