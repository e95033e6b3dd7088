// `npm run context -- visits` begins a context: it copies src/pets, its requests and its tests with the names changed, and
// registers the copy. What `// Only animals.` stands above is not copied: a declaration, a test, or a whole file. After
// `// Only animals. Others:` comes what others have in its place.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import prettier from 'prettier';
import { articleOf } from './article.mjs';

const MARK = '// Only animals.';
/** What `npm run openapi:accept` writes. */
const ACCEPTED = [
  ...['docs/openapi.json', 'docs/errors.md', 'docs/statements.sql'],
  ...filesIn('clients/typescript/src/generated'),
];
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';\n/gm;

const read = (file) => readFileSync(file, 'utf8');
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

const [left, sources] = [[], []];
for (const file of filesIn('src/pets')) (read(file).startsWith(MARK) ? left : sources).push(file);
sources.push('test/e2e/pets.e2e-spec.ts', 'test/e2e/requests/pets.requests.ts');
const { plural, singular } = namesFrom(process.argv.slice(2));
const oldTimestamps = timestampsIn(sources);
const lastTimestamp = Math.max(Date.now(), ...timestampsIn([...filesIn('src'), ...filesIn('libs')]));

const written = sources.map((file) => [renamed(file), renamed(withoutWhatOnlyAnimalsHave(read(file)))]);
for (const list of ['src/app.module.ts', 'src/tables.ts', 'src/access/domain/scope.ts'])
  written.push([list, withTheNewContext(read(list))]);
const undo = undoing([...written.map(([file]) => file), ...ACCEPTED]);
// The commands below end first; what is written is then undone.
let interruption = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (interruption = signal));
try {
  for (const [file, text] of written) {
    mkdirSync(dirname(file), { recursive: true });
    const options = { ...(await prettier.resolveConfig(file)), filepath: file };
    writeFileSync(file, await prettier.format(text, options));
  }
  const { status } = spawnSync('npm', ['run', '--silent', 'openapi:accept'], { stdio: 'inherit' });
  await new Promise(setImmediate);
  if (interruption) throw new Error(`it got ${interruption}`);
  if (status !== 0) throw new Error('"npm run openapi:accept" failed');
  process.stdout.write(
    `src/${plural} is a context. src/${plural}/README.md says which files have its fields.\n`,
  );
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
  return files.flatMap((file) => /\/migrations\/(\d+)/.exec(file)?.[1] ?? []).sort();
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

/** Whether JavaScript or the copied code uses the word as a name. */
function isTaken(word) {
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
  const article = articleOf(singular);
  const words = text
    .replace(/\btoAnimal\b/g, 'toPetResponse')
    .replace(/\baPet\b/g, `${article}Pet`)
    .replace(/\b([Aa])n animal/g, (_, a) => `${a}${article.slice(1)} animal`)
    .replace(/Animals|Pets/g, capitalized(plural))
    .replace(/(?<![@a-z])(animals|pets)/g, plural)
    .replace(/Animal|Pet/g, capitalized(singular))
    .replace(/(?<![@a-z])(animal|pet)/g, singular)
    .replace(/PET(?=_)/g, singular.toUpperCase());
  return oldTimestamps.reduce((rest, old, index) => rest.replaceAll(old, lastTimestamp + 1 + index), words);
}

function withoutWhatOnlyAnimalsHave(text) {
  const lines = text.replace(/\n## Only animals[^]*/, '').split('\n');
  const copied = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, others] = /^( *)\/\/ Only animals\.(?: Others: (.*))?$/.exec(lines[at]) ?? [];
    if (indent === undefined) {
      copied.push(lines[at]);
      continue;
    }
    at = endOf(lines, at + 1, indent);
    if (others) copied.push(indent + others);
    else if (lines[at + 1] === '') at++;
  }
  return withoutLostImports(copied.join('\n'));
}

/** The last line of what begins here: comments, and one line or all as far as the bracket that closes it. */
function endOf(lines, from, indent) {
  let at = from;
  while (/^ *(\/\/|\/?\*)/.test(lines[at])) at++;
  if (/[;,]$/.test(lines[at])) return at;
  const closes = new RegExp(`^${indent}[)}\\]].*(?<![({[])$`);
  for (at++; at < lines.length; at++) if (closes.test(lines[at])) return at;
  throw new Error(`"${lines[from].trim()}" has no end`);
}

/** Without what comes from files that are not copied, and without the imports that nothing uses any more. */
function withoutLostImports(text) {
  let body = text.replace(IMPORT, '');
  const imports = [...text.matchAll(IMPORT)].map(([, type, names, from]) => {
    const isLost = left.some((file) => basename(file, '.ts') === basename(from, '.js'));
    const used = names.match(/(type )?\w+/g).filter((item) => {
      const name = item.replace('type ', '');
      if (isLost) body = body.replace(RegExp(`, ${name}\\b|^ *${name},\\n`, 'gm'), '');
      return RegExp(`\\b${name}\\b`).test(body);
    });
    return used.length > 0 ? `import ${type ?? ''}{ ${used.join(', ')} } from '${from}';\n` : '';
  });
  return imports.join('') + body;
}

/** Each line or item of a list that names the animals, twice. */
function withTheNewContext(text) {
  return text
    .replace(/^import .*\/pets\/.*\n/gm, (line) => line + renamed(line))
    .replace(/\b(PetsModule|petsTables), ?|('pets:\w+',\s*)+/g, (items) => items + renamed(items));
}
