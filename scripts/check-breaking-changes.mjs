// Compares docs/openapi.json with the document of the last release. A change that breaks callers fails, unless
// docs/breaking-changes.json says why: by the end of the line that is printed. `--release` makes today's the last
// release.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** The nearest that a number of JavaScript has to its bounds. */
const OF_INT64 = 2 ** 63;
/** The schemas that may get values in any release: the docs make callers ignore unknown ones. */
const GROWING = /^(Scope|\w*EventType|WebhookEvent|DeliveredEvent)$/;

const args = process.argv.slice(2);
const folder = resolve(args.find((word) => !word.startsWith('--')) ?? 'docs');
const [current, released, accepted] = ['openapi.json', 'openapi.released.json', 'breaking-changes.json'].map(
  (name) => join(folder, name),
);

if (args.includes('--release')) {
  copyFileSync(current, released);
  writeFileSync(accepted, '{}\n');
} else process.exitCode = check();

function check() {
  const { apiDiff } = createRequire(resolve('test/tools/package.json'))('api-smart-diff');
  const [before, after] = [documentIn(released), documentIn(current)];
  for (const [name, values] of growingIn(before)) {
    const schema = after.components.schemas[name];
    if (schema?.enum) schema.enum = schema.enum.filter((value) => values.includes(value));
  }
  const breaking = apiDiff(before, after)
    .filter(({ type }) => type === 'breaking')
    .map(({ action, path }) => [action, ...path].join(' '));
  const reasons = Object.entries(JSON.parse(readFileSync(accepted, 'utf8')));
  const isAccepted = (line) => reasons.some(([end, why]) => line.endsWith(end) && why.trim() !== '');
  const wrong = breaking.filter((line) => !isAccepted(line));
  const idle = reasons.filter(([end]) => !breaking.some((line) => line.endsWith(end)));
  for (const line of wrong) console.error(`Breaks callers: ${line}`);
  for (const [end] of idle) console.error(`Accepted, and no change any more: ${end}`);
  if (wrong.length > 0)
    console.error('Do without, or add the end of each line to docs/breaking-changes.json, with the reason.');
  return wrong.length + idle.length > 0 ? 1 : 0;
}

/** The values of each schema that grows. */
function growingIn({ components }) {
  return Object.entries(components.schemas).flatMap(([name, { enum: values }]) =>
    values && GROWING.test(name) ? [[name, values]] : [],
  );
}

/**
 * The tool takes a type of null in a list for a change; an enum that only has null is the same. So is an int64 without
 * the bounds of its format, and a list without a bound that grows with the values of its items.
 */
function documentIn(path) {
  const text = readFileSync(path, 'utf8');
  const growing = new Map(growingIn(JSON.parse(text)));
  return JSON.parse(text, (_, value) => {
    if (value?.type === 'null' && Object.keys(value).length === 1) return { enum: [null] };
    const values = growing.get(value?.items?.$ref?.replace('#/components/schemas/', ''));
    if (value?.maxItems >= values?.length) return { ...value, maxItems: undefined };
    if (value?.format !== 'int64') return value;
    const { minimum = -OF_INT64, maximum = OF_INT64, ...others } = value;
    return {
      ...others,
      ...(minimum > -OF_INT64 && { minimum }),
      ...(maximum < OF_INT64 && { maximum }),
    };
  });
}
