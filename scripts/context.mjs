// `npm run context -- visits` begins a context: it copies the visits of test/examples, with their requests and tests,
// under the given name, and registers the copy. When its last step fails it leaves every file as it was.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { articleOf } from './article.mjs';

const TEMPLATE = 'test/examples/visits';
const TIMESTAMP = '1795100002000';
/** What `npm run openapi:accept` writes. */
const ACCEPTED = [
  ...['docs/openapi.json', 'docs/errors.md', 'docs/statements.sql'],
  ...filesIn('clients/typescript/src/generated'),
];

const read = (file) => readFileSync(file, 'utf8');
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

const sources = [...filesIn(TEMPLATE), `${TEMPLATE}.requests.ts`, `${TEMPLATE}.e2e-spec.ts`];
const { plural, singular } = namesFrom(process.argv.slice(2));
const timestamp = String(Math.max(Date.now(), ...timestampsIn([...filesIn('src'), ...filesIn('libs')])) + 1);

const written = [
  ...sources.map((file) => [
    renamed(placeOf(file)),
    renamed(read(file).replaceAll('../e2e/requests/', './')),
  ]),
  registered('src/app.module.ts', [
    'PetsModule',
    `${capitalized(plural)}Module`,
    `./${plural}/${plural}.module.js`,
  ]),
  registered(
    'src/contexts.ts',
    ['petsTables', `${plural}Tables`, `./${plural}/infrastructure/${plural}.tables.js`],
    ['petScopes', `${singular}Scopes`, `./${plural}/http/${singular}-scopes.js`],
  ),
];
const undo = undoing([...written.map(([file]) => file), ...ACCEPTED]);
// The commands below end first; what is written is then undone.
let interruption = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (interruption = signal));
try {
  await import('./install-tools.mjs');
  const prettier = createRequire(resolve('test/tools/package.json'))('prettier');
  for (const [file, text] of written) {
    mkdirSync(dirname(file), { recursive: true });
    const options = { ...(await prettier.resolveConfig(file)), filepath: file };
    writeFileSync(file, await prettier.format(text, options));
  }
  process.stderr.write(`src/${plural} is written. Next come the documents and the client.\n`);
  const { status } = spawnSync('npm', ['run', '--silent', 'openapi:accept'], { stdio: 'inherit' });
  await new Promise(setImmediate);
  if (interruption) throw new Error(`it got ${interruption}`);
  if (status !== 0) throw new Error('"npm run openapi:accept" failed');
  process.stdout.write(`src/${plural} is a context. docs/adding-a-module.md has the next steps.\n`);
} catch (error) {
  undo();
  process.stderr.write(`src/${plural} is not begun, and no file is changed: ${error.message}.\n`);
  process.exitCode = 1;
}

/** Returns what gives all these files the content that they have now. */
function undoing(files) {
  const contents = files.map((file) => [file, existsSync(file) ? read(file) : null]);
  return () => {
    for (const [file, content] of contents) {
      if (content === null) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    rmSync(`src/${plural}`, { recursive: true, force: true });
  };
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function timestampsIn(files) {
  return files.flatMap((file) => /\/migrations\/(\d+)/.exec(file)?.[1] ?? []);
}

/** Where a team has a file of the template. */
function placeOf(file) {
  return file
    .replace(`${TEMPLATE}/`, 'src/visits/')
    .replace(`${TEMPLATE}.requests`, 'test/e2e/requests/visits.requests')
    .replace(`${TEMPLATE}.e2e`, 'test/e2e/visits.e2e');
}

function namesFrom(args) {
  let name = '';
  let one;
  try {
    const { positionals, values } = parseArgs({
      args,
      options: { singular: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length === 1) [name] = positionals;
    one = values.singular ?? name.replace(/ies$/, 'y').replace(/(?<=[sxz]|[cs]h)es$|(?<!s)s$/, '');
  } catch {
    // The line below says what is expected.
  }
  if (![name, one].every((word) => /^[a-z]{2,30}$/.test(word)))
    refuse('The name of a context is one plural in lower-case letters: npm run context -- visits');
  if (existsSync(`src/${name}`)) refuse(`src/${name} is there already.`);
  if (name === one) refuse(`Say what one of them is called: npm run context -- ${name} --singular …`);
  const taken = [name, one].find(isTaken);
  if (taken) refuse(`The code calls something else "${taken}". Choose another name.`);
  return { plural: name, singular: one };
}

function refuse(problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

/** Whether JavaScript or the copied code uses the word as a name of something else. */
function isTaken(word) {
  if (word === 'visit' || word === 'visits') return false;
  const code = sources.filter((file) => file.endsWith('.ts')).map(read);
  const names = code.join('\n').replace(/\/\/.*|\/\*[^]*?\*\/|(['`])(?:\\.|(?!\1)[^\\])*\1/g, '');
  if (new RegExp(`\\b(${word}|${capitalized(word)})\\b`).test(names)) return true;
  try {
    return !Function(`'use strict'; let ${word};`);
  } catch {
    return true;
  }
}

function renamed(text) {
  return text
    .replace(/\b([Aa]) visit\b/g, (_, a) => `${a}${articleOf(singular).slice(1)} visit`)
    .replace(/Visits/g, capitalized(plural))
    .replace(/visits/g, plural)
    .replace(/Visit/g, capitalized(singular))
    .replace(/visit/g, singular)
    .replace(/VISIT(?=_)/g, singular.toUpperCase())
    .replaceAll(TIMESTAMP, timestamp);
}

/** A file of the composition with more names, each in its list beside that of the pets. */
function registered(file, ...entries) {
  const text = entries.reduce((before, [beside, name, from]) => {
    const lines = before.replace(new RegExp(`(\\.\\.\\.)?${beside},`), `$&$1${name},`).split('\n');
    const place = lines.findIndex((line) => line.includes(`{ ${beside} }`)) + 1;
    return lines.toSpliced(place, 0, `import { ${name} } from '${from}';`).join('\n');
  }, read(file));
  return [file, text];
}
