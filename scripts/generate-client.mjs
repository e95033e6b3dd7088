// Generates the types, operations and errors of clients/typescript from docs/openapi.json and docs/errors.md. With
// --check it writes nothing and fails when they are out of date. Tests pass another --document and --out.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contentOf } from './document-content.mjs';
import { Int64Shapes, isInt64 } from './int64-shapes.mjs';

const ERRORS = 'docs/errors.md';
/** The codes of malformed requests, which the client does not send. */
const WITHOUT_CLASS = ['bad_request', 'invalid_json', 'unsupported_media_type'];
/** Headers that many operations have are written once, for the size of the client. */
const SHARED = { CONDITIONAL: 'If-None-Match', ONCE: 'Idempotency-Key' };
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    document: { type: 'string', default: 'docs/openapi.json' },
    out: { type: 'string', default: 'clients/typescript/src/generated' },
  },
});
const NOTE = `// Generated from docs/openapi.json by "npm run dev -- client:generate"; changes made here are lost.\n\n`;
const tools = createRequire(join(import.meta.dirname, '../test/tools/package.json'));
const document = JSON.parse(readFileSync(options.document, 'utf8'));
// A stream is read by the application, in its own way.
for (const item of Object.values(document.paths))
  for (const [method, { responses }] of Object.entries(item))
    if ('text/event-stream' in (responses?.[200]?.content ?? {})) delete item[method];
const { version } = JSON.parse(readFileSync('clients/typescript/package.json', 'utf8'));
const shapes = new Int64Shapes(document);

// The operations come first: an unsupported document then fails before a large dependency is loaded.
const files = {
  'operations.ts': NOTE + operationsModule(),
  'errors.ts': NOTE + errorsModule(),
  'schema.ts': NOTE + (await schemaModule()),
};
const prettier = tools('prettier');
let isCurrent = true;
for (const [name, text] of Object.entries(files)) {
  const path = join(options.out, name);
  const style = await prettier.resolveConfig('clients/typescript/src/index.ts');
  const formatted = await prettier.format(text, { ...style, filepath: path });
  if (formatted === readFileSync(path, { encoding: 'utf8', flag: 'a+' })) continue;
  isCurrent = false;
  if (!options.check) writeFileSync(path, formatted);
}
if (options.check && !isCurrent) {
  process.stderr.write(
    `clients/typescript is not current with ${options.document}: npm run dev -- client:generate\n`,
  );
  process.exitCode = 1;
}

async function schemaModule() {
  const { default: openapiTS, astToString } = tools('openapi-typescript');
  const { default: ts } = await import('typescript');
  /** An int64 is a bigint, as a number has only 53 bits of precision. */
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const orNull = ts.factory.createUnionTypeNode([
    bigint,
    ts.factory.createLiteralTypeNode(ts.factory.createNull()),
  ]);
  // A comment with the example of each body would be a third of the types.
  const withoutExample = (key, value) =>
    key === 'application/json' ? { ...value, example: undefined } : value;
  // The types of events are those of their schemas; what is sent to others is no operation of the client.
  const nodes = await openapiTS(
    JSON.parse(JSON.stringify({ ...document, webhooks: undefined }, withoutExample)),
    {
      // A field with a default is still optional in the input.
      defaultNonNullable: false,
      transform: (schema) => {
        if (schema.format === 'binary') return blob;
        if (!isInt64(schema)) return undefined;
        return schema.nullable || [schema.type].flat().includes('null') ? orNull : bigint;
      },
    },
  );
  return astToString(nodes);
}

function operationsModule() {
  const called = eachOperation();
  const methodsOf = (version) =>
    called
      .filter((one) => one.version === version)
      .map(method)
      .join('');
  const others = [...new Set(called.flatMap(({ version }) => version ?? []))];
  const descriptions = Object.fromEntries(
    eachOperation().map((operation) => [operation.operationId, describe(operation)]),
  );
  return `
import type { Shape } from '../json/shape.js';
import type { Method, OperationDescription, OperationName } from '../method.js';
${eachEvent().length > 0 ? "import type { components } from './schema.js';\n" : ''}
/** The version of this package. */
export const VERSION = '${version}';

/** One method for each operation of the service but streams. */
export interface Operations {${methodsOf(undefined)}${others.map((version) => `\nreadonly ${version}: {${methodsOf(version)}\n};`).join('')}
}

/** The codes with which each operation may be refused. */
export interface OperationErrorCodes {${errorCodes().join('')}
}

${operationTexts(descriptions)}

/** What the service sends to webhooks. */
export type WebhookEvent = ${eventTypes()};

/** Where the int64s are in an event, by its type. */
export const EVENTS: Readonly<Record<string, Shape | undefined>> = ${JSON.stringify(eventShapes(), null, 2)};

/** Where the int64s are in a value of a schema that has some. */
export const SHAPES: Readonly<Record<string, Shape>> = ${JSON.stringify(shapes.named(), null, 2)};
`;
}

function operationTexts(descriptions) {
  let texts = JSON.stringify(descriptions, null, 2);
  let lists = '';
  for (const [name, header] of Object.entries(SHARED)) {
    const shared = texts.replaceAll(new RegExp(`\\[\\s*"${header}"\\s*\\]`, 'g'), name);
    if (shared !== texts) lists += `const ${name} = ['${header}'];\n`;
    texts = shared;
  }
  return `${lists}
export const OPERATIONS: Readonly<Record<OperationName, OperationDescription>> = ${texts};`;
}

function method({ operationId, version = '', summary, description, deprecated }) {
  return `
      /**
       * ${summary}.
       *${deprecated ? ' @deprecated' : ''} ${description}
       */
      ${operationId.slice(0, operationId.length - version.length)}: Method<'${operationId}'>;`;
}

function errorCodes() {
  return eachOperation().map(({ operationId, responses }) => {
    const codes = Object.values(responses).flatMap(({ content }) =>
      documentedErrors(content).map(({ code }) => code),
    );
    const all = [...new Set(codes)].sort().map((code) => `| '${code}'`);
    return `\n${operationId}: ${all.join(' ') || 'never'};`;
  });
}

/** The Error objects in the examples of a response. */
function documentedErrors(content) {
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  return examples.flatMap(({ summary, value }) => (value?.code ? [{ ...value, summary }] : []));
}

function eachEvent() {
  return Object.entries(document.webhooks ?? {}).map(([type, { post }]) => [
    type,
    contentOf(post.requestBody.content, `${type} body`).schema,
  ]);
}

function eventTypes() {
  const names = eachEvent().map(([type, { $ref }]) => {
    if (!$ref) throw new Error(`${type} body: an event is a schema with a name.`);
    return `components['schemas']['${$ref.split('/').at(-1)}']`;
  });
  return [...new Set(names)].join(' | ') || 'never';
}

function eventShapes() {
  return Object.fromEntries(eachEvent().map(([type, schema]) => [type, shapes.of(schema, `${type} body`)]));
}

/** A class for each error that an operation documents. */
function errorsModule() {
  const documented = new Map();
  const codes = [...readFileSync(ERRORS, 'utf8').matchAll(/^- `(\w+)` \d/gm)].map(([, code]) => code);
  for (const { responses } of eachOperation()) {
    for (const { content } of Object.values(responses)) {
      for (const { code, status, message, summary } of documentedErrors(content)) {
        documented.set(code, `${status}: ${summary ?? message}`);
      }
    }
  }
  const withClass = [...documented].filter(([code]) => !WITHOUT_CLASS.includes(code)).sort();
  const classes = withClass.map(([code, meaning]) => {
    const name = code.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
    return `
/** ${meaning} */
export const ${name} = /* @__PURE__ */ errorWith('${code}');
export type ${name} = InstanceType<typeof ${name}>;
`;
  });
  const all = [...new Set([...codes, ...documented.keys()])].sort();
  return `
${classes.length > 0 ? "import { errorWith } from '../store.error.js';\n" : ''}
/**
 * Every code that the service documents; \`not_modified\` for a 304, \`unreachable\` without a response, \`redirected\`
 * for a redirect, and \`unknown\` when something else than the service responded.
 */
export type ErrorCode = ${[...all, 'not_modified', 'redirected', 'unreachable', 'unknown'].map((code) => `| '${code}'`).join(' ')};
${classes.join('')}`;
}

/** A path with servers of its own is not below the version of the others, and may begin with its own. */
function eachOperation() {
  return Object.entries(document.paths).flatMap(([path, { servers, ...item }]) => {
    const version = servers && /^\/(v\d+)\//.exec(path)?.[1];
    return Object.entries(item).map(([method, operation]) => ({
      path,
      method,
      isAtRoot: servers ? true : undefined,
      version,
      ...operation,
    }));
  });
}

function describe({ operationId, path, method, isAtRoot, version, parameters = [], requestBody, responses }) {
  const placed = (place) => parameters.filter((parameter) => parameter.in === place);
  const [query, headers] = ['query', 'header'].map((place) => placed(place).map(({ name }) => name));
  const fields = [...placed('path'), ...placed('query')].map(({ name, schema }) => [name, schema]);
  const body = contentOf(requestBody?.content, `${operationId} body`);
  if (body) fields.push(...Object.entries(bodyFields(operationId, body)));
  const input = Object.fromEntries(fields);
  // Input is one flat object, so its names must be unique.
  if (Object.keys(input).length < fields.length) {
    throw new Error(`${operationId} has one name twice: ${fields.map(([name]) => name)}`);
  }
  const success = responses[201] ?? responses[200] ?? responses[202] ?? responses[204];
  // A 204, or a 202 without a body.
  const output = contentOf(success?.content, `${operationId} output`);
  for (const { name, schema, explode = true, style = 'form' } of placed('query')) {
    if (schema?.type === 'array' && !(explode && style === 'form')) {
      throw new Error(`${operationId} ${name}: the client sends a list as one parameter for each value.`);
    }
  }
  const limit = placed('query').find(({ name }) => name === 'limit');
  return {
    line: `${method.toUpperCase()} ${path}${query.map((name, index) => (index ? '&' : '?') + name).join('')}`,
    // Undefined fields are left out.
    isAtRoot,
    version,
    headers: headers.length > 0 ? headers : undefined,
    body: body?.kind,
    largestPage: limit?.schema.maximum,
    input: shapes.of({ properties: input }, `${operationId} input`),
    result: output && output.kind !== 'json' ? output.kind : undefined,
    output: output && 'schema' in output ? shapes.of(output.schema, `${operationId} output`) : undefined,
  };
}

function bodyFields(operationId, body) {
  if (body.kind === 'bytes') return { bytes: {}, mediaType: {} };
  const place = `${operationId} body`;
  return shapes.fieldsOf(body.schema, place);
}
