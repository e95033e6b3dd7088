import fc, { type Arbitrary } from 'fast-check';
import type { Operation, Parameter, Schema } from './api-document.js';

/**
 * What the service owes a request: to take it as it is (though what it asks for may not be there), to refuse it, or
 * either, where only the service can tell.
 */
export type Expectation = 'accepted' | 'refused' | 'either';

export interface FuzzRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  readonly expectation: Expectation;
}

/** API keys to send: one that may ask for as much as it likes, and one whose limit is used up. */
export interface FuzzKeys {
  readonly unlimited: string;
  readonly exhausted: string;
}

interface Part<T> {
  readonly value: T;
  readonly expectation: Expectation;
}

type Headers = [string, string][];

/** Requests for `operation`: valid ones, ones with something wrong in them, and ones made to hurt. */
export function fuzzRequest(operation: Operation, keys: FuzzKeys): Arbitrary<FuzzRequest> {
  const inPlace = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      path: pathPart(operation.path, inPlace('path')),
      query: queryPart(inPlace('query')),
      credential: credentialPart(keys),
      documented: headersPart(inPlace('header')),
      noise: noiseHeaders,
      content: operation.requestBody ? contentPart(operation.requestBody) : ignoredContent,
      asHead: fc.boolean(),
    })
    .map(({ path, query, credential, documented, noise, content, asHead }) => ({
      operation,
      method: operation.method === 'GET' && asHead ? 'HEAD' : operation.method,
      path: query.value === '' ? path.value : `${path.value}?${query.value}`,
      headers: [...credential.value, ...documented.value, ...noise, ...content.value.headers],
      body: content.value.body,
      expectation: together([path, query, credential, documented, content]),
    }));
}

function together(parts: readonly Part<unknown>[]): Expectation {
  const expectations = parts.map(({ expectation }) => expectation);
  if (expectations.includes('refused')) return 'refused';
  return expectations.includes('either') ? 'either' : 'accepted';
}

function part<T>(expectation: Expectation, values: Arbitrary<T>): Arbitrary<Part<T>> {
  return values.map((value) => ({ value, expectation }));
}

/** Mostly the first, so that a request has seldom more than one thing wrong with it. */
function mostly<T>(usual: Arbitrary<T>, ...others: Arbitrary<T>[]): Arbitrary<T> {
  return fc.oneof({ weight: 8, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
}

const visible = (minLength: number, maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength,
    maxLength,
  });
/** What can stand in a request target, a `%` without digits after it among it, without ending its path or query. */
const targetText = (minLength: number) => visible(minLength, 40).map((text) => text.replace(/[#?/&]/g, '%'));
const encodedText = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .map((text) => encodeURIComponent(text.toWellFormed()));

function pathPart(template: string, parameters: readonly Parameter[]): Arbitrary<Part<string>> {
  const [parameter] = parameters;
  if (!parameter) return fc.constant({ value: template, expectation: 'accepted' });
  const { schema } = parameter;
  return mostly(
    part('accepted', wholeNumber(schema)),
    part(
      'refused',
      fc.constantFrom(
        '0',
        '-1',
        `${schema.maximum! + 1n}`,
        '1.0',
        '1e0',
        '01',
        '+1',
        '0x1',
        'abc',
        '%',
        '%ff',
        '%31%00',
        '%EF%BC%91',
        '1'.repeat(5_000),
      ),
    ),
    part('either', fc.oneof(targetText(1), encodedText)),
  ).map(({ value, expectation }) => ({ value: template.replace(/\{\w+\}/, () => value), expectation }));
}

function queryPart(parameters: readonly Parameter[]): Arbitrary<Part<string>> {
  const given = parameters.map(({ name, schema }) => {
    const assign = (value: string) => `${name}=${value}`;
    // A cursor cannot be made up.
    const usual = schema.pattern ? part('refused', text(schema)) : part('accepted', plainText(schema));
    return fc.option(
      mostly(
        usual.map(({ value, expectation }) => ({ value: assign(encodeURIComponent(value)), expectation })),
        part('refused', offParameter(schema).map(assign)),
        part(
          'refused',
          plainText(schema).map((value) => `${assign(value)}&${assign(value)}`),
        ),
        part('either', fc.oneof(targetText(0), encodedText).map(assign)),
      ),
      { nil: null, freq: schema.pattern ? 6 : 1 },
    );
  });
  const unknown = fc.option(part('either', fc.oneof(targetText(0), encodedText)), { nil: null, freq: 6 });
  return fc.tuple(...given, unknown).map((options) => {
    const parts = options.filter((option) => option !== null);
    return { value: parts.map(({ value }) => value).join('&'), expectation: together(parts) };
  });
}

function offParameter({ type, maximum }: Schema): Arbitrary<string> {
  if (type !== 'integer')
    return fc.constantFrom('', '%00', '%ff', 'SOLD', '%20sold', '%F0%9F%A6%9C', 'a'.repeat(2_000));
  return fc.constantFrom(
    '',
    '0',
    '-1',
    `${maximum! + 1n}`,
    '1.5',
    '1e1',
    '0x10',
    '%2020',
    'NaN',
    'abc',
    '9'.repeat(400),
  );
}

function credentialPart({ unlimited, exhausted }: FuzzKeys): Arbitrary<Part<Headers>> {
  const authorization = (value: string): Headers => [['Authorization', value]];
  return mostly(
    part(
      'accepted',
      fc.constantFrom('Bearer', 'bearer', 'BEARER').map((scheme) => authorization(`${scheme} ${unlimited}`)),
    ),
    part('refused', fc.constant<Headers>([])),
    part(
      'refused',
      fc.constant([...authorization(`Bearer ${unlimited}`), ...authorization(`Bearer ${unlimited}`)]),
    ),
    part(
      'refused',
      fc
        .constantFrom(
          `Basic ${unlimited}`,
          `Bearer ${unlimited}x`,
          `Bearer ${unlimited} x`,
          `Bearer${unlimited}`,
          unlimited,
          'Bearer',
          '',
        )
        .map(authorization),
    ),
    part(
      'refused',
      visible(0, 60).map((token) => authorization(`Bearer ${token}`)),
    ),
    part('refused', fc.constant(authorization(`Bearer ${exhausted}`))),
  );
}

function headersPart(parameters: readonly Parameter[]): Arbitrary<Part<Headers>> {
  const given = parameters.map(({ name }) => {
    const header = (value: string): Headers => [[name, value]];
    // An Idempotency-Key from a few, so that some are used again; a condition can be anything at all.
    const values =
      name === 'Idempotency-Key'
        ? mostly(
            part('accepted', fc.constantFrom('a', '"a"', 'b', '~'.repeat(255), '!').map(header)),
            part(
              'refused',
              fc.constantFrom('""', 'two words', 'caf\u00e9', '"', 'x'.repeat(256)).map(header),
            ),
            part('refused', fc.constant<Headers>([...header('a'), ...header('b')])),
          )
        : part(
            'accepted',
            fc.oneof(fc.constantFrom('*', '""', 'W/', ',', '"a", W/"b"'), visible(0, 80)).map(header),
          );
    return fc.option(values, { nil: null });
  });
  return fc.tuple(...given).map((options) => {
    const parts = options.filter((option) => option !== null);
    return { value: parts.flatMap(({ value }) => value), expectation: together(parts) };
  });
}

/** Headers that change nothing. */
const noiseHeaders: Arbitrary<Headers> = fc.array(
  fc.oneof(
    fc.constantFrom<[string, string][]>(
      ['Accept', 'text/html'],
      ['Accept-Encoding', 'gzip'],
      ['Range', 'bytes=0-0'],
      ['If-Match', '"a"'],
      ['If-Modified-Since', 'Thu, 05 Dec 2030 00:00:00 GMT'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Host', 'evil.example'],
      ['Origin', 'https://evil.example'],
      ['Expect', 'bananas'],
      ['Upgrade', 'websocket'],
      ['Connection', 'close'],
      ['__proto__', 'constructor'],
    ),
    fc.tuple(fc.constantFrom('X-Request-Id', 'Cookie', 'User-Agent', 'Referer'), visible(0, 200)),
  ),
  { maxLength: 3 },
);

interface Content {
  readonly headers: Headers;
  readonly body: Buffer | null;
}

/** What is sent where nobody reads a body. */
const ignoredContent: Arbitrary<Part<Content>> = mostly<Part<Content>>(
  fc.constant({ value: { headers: [], body: null }, expectation: 'accepted' }),
  part(
    'accepted',
    fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ headers: [], body: Buffer.from(bytes) })),
  ),
);

function contentPart(schema: Schema): Arbitrary<Part<Content>> {
  const types = mostly<Part<Headers>>(
    part(
      'accepted',
      fc
        .constantFrom('application/json', 'Application/JSON; charset="UTF-8"', 'application/json;x=y')
        .map((type) => [['Content-Type', type]]),
    ),
    part(
      'refused',
      fc
        .constantFrom(
          'text/plain',
          'application/jsonp',
          'application/json; charset=latin1',
          'multipart/form-data; boundary=x',
          '',
        )
        .map((type) => [['Content-Type', type]]),
    ),
    part('refused', fc.constant<Headers>([])),
    part(
      'refused',
      fc.constant<Headers>([
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'gzip'],
      ]),
    ),
  );
  const bodies = mostly<Part<Buffer | null>>(
    part('accepted', validObject(schema).map(Buffer.from)),
    part('refused', offObject(schema).map(Buffer.from)),
    part(
      'refused',
      fc
        .constantFrom(
          '',
          ' ',
          '{',
          '}',
          '{]',
          'NaN',
          '\ufeff{}',
          "{'a':1}",
          '{}{}',
          '['.repeat(16_000),
          `"${'a'.repeat(16_384)}"`,
          '{"a":'.repeat(3_000),
          '9'.repeat(16_000),
        )
        .map(Buffer.from),
    ),
    part(
      'refused',
      validObject(schema).map((json) => Buffer.from(json.slice(0, -1))),
    ),
    part(
      'refused',
      validObject(schema).map((json) => Buffer.concat([Buffer.from(json), Buffer.from([0xff])])),
    ),
    part('either', fc.json().map(Buffer.from)),
    part('either', fc.uint8Array({ maxLength: 200 }).map(Buffer.from)),
    part('refused', fc.constant(null)),
  );
  return fc.tuple(types, bodies).map(([type, body]) => ({
    value: { headers: type.value, body: body.value },
    expectation: together([type, body]),
  }));
}

/** JSON texts that the schema of an object allows. */
function validObject(schema: Schema): Arbitrary<string> {
  return fieldsOf(schema).chain((names) =>
    fc
      .tuple(...names.map((name) => valid(schema.properties![name]!).map((value) => [name, value] as const)))
      .map(jsonObject),
  );
}

/** JSON texts with one thing in them that the schema does not allow. */
function offObject(schema: Schema): Arbitrary<string> {
  const names = Object.keys(schema.properties!);
  const fields = fc.tuple(
    ...names.map((name) => valid(schema.properties![name]!).map((value) => [name, value] as const)),
  );
  const without = (missing: string) =>
    fields.map((all) => jsonObject(all.filter(([name]) => name !== missing)));
  const withOff = (off: string) =>
    fc
      .tuple(fields, offValue(schema.properties![off]!))
      .map(([all, value]) =>
        jsonObject(all.map(([name, good]) => [name, name === off ? value : good] as const)),
      );
  const unknownNames = fc.oneof(
    fc.constantFrom('id', '__proto__', 'constructor', 'toString', '', 'Name', 'x'.repeat(1_000)),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const withUnknown = fc
    .tuple(
      fields,
      unknownNames.filter((name) => !names.includes(name)),
      fc.json(),
    )
    .map(([all, name, value]) => jsonObject([...all, [name, value]]));
  const twice = fields.map((all) => jsonObject([...all, [all[0]![0], '-1']]));
  const noObject = fc.constantFrom('[]', 'null', '"x"', '7', 'true', '[{}]');
  return fc.oneof(...schema.required!.map(without), ...names.map(withOff), withUnknown, twice, noObject);
}

function jsonObject(fields: readonly (readonly [string, string])[]): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(',')}}`;
}

function fieldsOf({ properties = {}, required = [] }: Schema): Arbitrary<string[]> {
  return fc
    .subarray(Object.keys(properties).filter((name) => !required.includes(name)))
    .chain((optional) =>
      fc.shuffledSubarray([...required, ...optional], { minLength: required.length + optional.length }),
    );
}

/** JSON text of a value that the schema allows. */
function valid(schema: Schema): Arbitrary<string> {
  return schema.type === 'integer'
    ? wholeNumber(schema)
    : plainText(schema).map((value) => JSON.stringify(value));
}

/** A value that the schema of something written without quotes allows. */
function plainText(schema: Schema): Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return schema.type === 'integer' ? wholeNumber(schema) : text(schema);
}

/** Often small, so that it names something; often at a bound. */
function wholeNumber({ minimum, maximum }: Schema): Arbitrary<string> {
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: 20n }) },
      { weight: 1, arbitrary: fc.constantFrom(minimum!, maximum!) },
      { weight: 1, arbitrary: fc.bigInt({ min: minimum!, max: maximum! }) },
    )
    .map(String);
}

function text({ pattern = '', minLength = 0n, maxLength = 1_000n }: Schema): Arbitrary<string> {
  const bounds = { minLength: Number(minLength), maxLength: Number(maxLength) };
  const matching = pattern.startsWith('^[^')
    ? fc.string({ unit: 'grapheme', ...bounds })
    : fc.stringMatching(new RegExp(pattern, 'u'));
  const expression = new RegExp(pattern, 'u');
  // What the schema of a name cannot say: it is trimmed, counted in characters, and well-formed.
  return matching.filter((value) => {
    const length = [...value.trim()].length;
    return (
      length >= bounds.minLength &&
      [...value].length <= bounds.maxLength &&
      expression.test(value) &&
      value.isWellFormed()
    );
  });
}

/** JSON text of a value that the schema does not allow. */
function offValue({ type, enum: choices, minimum, maximum, maxLength = 0n }: Schema): Arbitrary<string> {
  const never = ['null', 'true', '[]', '{}', '[7]', '7.5', '7.0', '7e0', '1e400', '-0.0', '9'.repeat(1_000)];
  if (type === 'integer') return fc.constantFrom(...never, '"7"', `${maximum! + 1n}`, `${minimum! - 1n}`);
  if (choices)
    return fc.constantFrom(
      ...never,
      '7',
      '""',
      `"${choices[0]} "`,
      `"${choices[0]!.toUpperCase()}"`,
      `"${choices[0]}\\u0000"`,
    );
  return fc.constantFrom(
    ...never,
    '7',
    '""',
    '"  "',
    '"\\u0000"',
    '"\\u001f"',
    '"\\u007f"',
    '"\\ud83e"',
    '"\\udd9c\\ud83e"',
    `"${'x'.repeat(Number(maxLength) + 1)}"`,
  );
}
