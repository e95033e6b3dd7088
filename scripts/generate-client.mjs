// Generates the types and the table of operations of clients/typescript from docs/openapi.json.
// With --check it writes nothing and fails when they are not current.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import prettier from 'prettier';
import ts from 'typescript';

const DOCUMENT = 'docs/openapi.json';
const SCHEMA = 'clients/typescript/src/schema.ts';
const OPERATIONS = 'clients/typescript/src/operations.ts';
const NOTE = `// Generated from ${DOCUMENT} by "npm run client:generate"; changes made here are lost.\n\n`;

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));

/** An int64 is a bigint: a number holds but 53 bits of it. */
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const nodes = await openapiTS(document, {
  // A default is what the service takes for a field that is left out.
  defaultNonNullable: false,
  transform: ({ format }) => (format === 'int64' ? bigint : undefined),
});

const files = { [SCHEMA]: NOTE + astToString(nodes), [OPERATIONS]: NOTE + operationsModule() };
let isCurrent = true;
for (const [path, text] of Object.entries(files)) {
  const formatted = await prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
  if (formatted === readFileSync(path, { encoding: 'utf8', flag: 'a+' })) continue;
  isCurrent = false;
  if (!process.argv.includes('--check')) writeFileSync(path, formatted);
}
if (process.argv.includes('--check') && !isCurrent) {
  process.stderr.write(`clients/typescript is not current with ${DOCUMENT}: npm run client:generate\n`);
  process.exitCode = 1;
}

function operationsModule() {
  const methods = eachOperation().map(
    ({ operationId, summary, description, deprecated }) => `
      /**
       * ${summary}.
       *${deprecated ? ' @deprecated' : ''} ${description}
       */
      ${operationId}: Method<'${operationId}'>;`,
  );
  return `
import type { Method } from './method.js';

/** One method for each operation of the service. */
export interface Operations {${methods.join('')}
}

/** How each operation is sent. What its input has beyond \`path\` and \`query\` are the fields of the body. */
export const OPERATIONS = ${JSON.stringify(operations(), null, 2)} as const;

/** The fields whose numbers are int64. */
export const INT64_FIELDS: ReadonlySet<string> = new Set(${JSON.stringify(int64Fields())});
`;
}

function eachOperation() {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

function operations() {
  return Object.fromEntries(
    eachOperation().map(({ path, method, operationId, parameters = [], requestBody }) => {
      const names = (place) => parameters.filter((each) => each.in === place).map(({ name }) => name);
      const input = [...names('path'), ...names('query'), ...fieldsOf(requestBody)];
      // Input is one flat object, so a name must not stand for two things.
      if (new Set(input).size < input.length)
        throw new Error(`${operationId} takes one name twice: ${input}`);
      return [
        operationId,
        {
          method: method.toUpperCase(),
          path,
          query: names('query'),
          hasBody: requestBody !== undefined,
          takesIdempotencyKey: names('header').includes('Idempotency-Key'),
        },
      ];
    }),
  );
}

function fieldsOf(requestBody) {
  const reference = requestBody?.content['application/json'].schema.$ref;
  return reference ? Object.keys(document.components.schemas[reference.split('/').at(-1)].properties) : [];
}

/** A client tells an int64 by the name of its field, so all fields of one name must agree. */
function int64Fields() {
  const formats = new Map();
  for (const { properties = {} } of Object.values(document.components.schemas)) {
    for (const [name, { format }] of Object.entries(properties)) {
      formats.set(name, (formats.get(name) ?? new Set()).add(format === 'int64'));
    }
  }
  for (const [name, seen] of formats) {
    if (seen.size > 1) throw new Error(`The field ${name} is an int64 in one schema and not in another.`);
  }
  return [...formats].filter(([, seen]) => seen.has(true)).map(([name]) => name);
}
