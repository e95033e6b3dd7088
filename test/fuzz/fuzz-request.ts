import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from '@animal-store/kernel/testing';
import type { Body, Operation, Parameter } from './api-document.js';
import { offJson, plainValue, validJson } from './schema-values.js';
import type { Schema } from './schemas.js';

/**
 * What the service must do with a request: accept it (the resource may still be missing), refuse it, or either when the
 * generator cannot know.
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

/** The API keys of the requests. The first has limits that no run reaches, that of the second is used up. */
export interface FuzzKeys {
  readonly unlimited: string;
  readonly exhausted: string;
  /** Each has one scope. */
  readonly narrow: Readonly<Record<'pets:read' | 'orders:read' | 'keys:manage', string>>;
}

interface Part<T> {
  readonly value: T;
  readonly expectation: Expectation;
}

type Headers = [name: string, value: string][];

interface Content {
  readonly headers: Headers;
  readonly body: Buffer | null;
}

const NO_IDS = ['0', '-1', '9223372036854775808', '1.0', '1e0', '01', '+1', '0x1', 'abc', '1'.repeat(5_000)];
const BAD_ESCAPES = ['%', '%ff', '%31%00', '%C3%28', '%EF%BC%91'];
const NO_NUMBERS = ['', '1.5', '1e1', '0x10', '%2020', 'NaN', 'abc', '9'.repeat(400)];
const NO_CHOICES = ['', '%00', '%ff', '%F0%9F%A6%9C', 'a'.repeat(2_000)];
const KEYS_OF_RETRIES = ['a', '"a"', 'b', '~'.repeat(255), '!'];
const NO_KEYS_OF_RETRIES = ['""', 'two words', 'caf\u00e9', '"', 'x'.repeat(256)];
const CONDITIONS = ['*', '""', 'W/', ',', '"a", W/"b"'];
const RANGES = [
  'bytes=0-0',
  'bytes=-2',
  'bytes=1-',
  'bytes=-0',
  'bytes=2-1',
  'bytes=0-1,3-4',
  'lines=0-1',
  'bytes=a-b',
];
const LARGE_RANGES = [
  'bytes=0-99999999999999999999',
  'bytes=99999999999999999999-',
  'bytes=-99999999999999999999',
];
const JSON_TYPES = ['application/json', 'Application/JSON; charset="UTF-8"', 'application/json;x=y'];
const OTHER_TYPES = [
  'text/plain',
  'application/jsonp',
  'application/json; charset=latin1',
  'multipart/form-data',
  '',
];
const NO_JSON = ['', ' ', '{', '}', '{]', 'NaN', '\ufeff{}', "{'a':1}", '{}{}', '"\\ud83e', '\0'];
const BODY_LIMIT_BYTES = 16_384;
const TOO_DEEP_OR_LARGE = [
  '['.repeat(16_000),
  '{"a":'.repeat(3_000),
  '9'.repeat(16_000),
  'a'.repeat(BODY_LIMIT_BYTES + 1),
];
/** A larger body would take longer to send than all others. */
const MAX_SENT_BYTES = 4_000_000;
/** Headers that must not affect the response. */
const NOISE: Headers = [
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'gzip'],
  ['Range', 'bytes=0-0'],
  ['If-Modified-Since', 'Thu, 05 Dec 2030 00:00:00 GMT'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Origin', 'https://evil.example'],
  ['Expect', 'bananas'],
  ['Expect', '100-continue'],
  ['Upgrade', 'websocket'],
  ['Connection', 'close'],
  ['__proto__', 'constructor'],
];

/** Requests for `operation`: valid, invalid and hostile ones. */
export function fuzzRequest(operation: Operation, keys: FuzzKeys): Arbitrary<FuzzRequest> {
  const placed = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      path: pathPart(operation.path, placed('path')),
      query: queryPart(placed('query')),
      credential: credentialPart(keys, operation),
      documented: headersPart(placed('header')),
      noise: fc.array(fc.oneof(fc.constantFrom(...NOISE), anyHeader), { maxLength: 3 }),
      content: operation.requestBody ? contentPart(operation.requestBody) : noContent,
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

function accepted<T>(values: Arbitrary<T>): Arbitrary<Part<T>> {
  return values.map((value) => ({ value, expectation: 'accepted' }));
}

function refused<T>(values: Arbitrary<T>): Arbitrary<Part<T>> {
  return values.map((value) => ({ value, expectation: 'refused' }));
}

function either<T>(values: Arbitrary<T>): Arbitrary<Part<T>> {
  return values.map((value) => ({ value, expectation: 'either' }));
}

/** Generates `usual` `weight` times as often as each of the others, so few requests have more than one error. */
function mostly<T>(weight: number, usual: Arbitrary<T>, ...others: Arbitrary<T>[]): Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
}

/** Generates `given` once in `times`, and otherwise null. */
function onceIn<T>(times: number, given: Arbitrary<T>): Arbitrary<T | null> {
  return mostly<T | null>(times - 1, fc.constant(null), given);
}

function visible(minLength: number, maxLength: number): Arbitrary<string> {
  const unit = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  return fc.string({ unit, minLength, maxLength });
}

/** Text that can be in a path or a query without ending it, including malformed percent-escapes. */
const anyTarget = fc.oneof(
  visible(1, 40).map((text) => text.replace(/[#?/&]/g, '%')),
  fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

const anyHeader = fc.tuple(
  fc.constantFrom('X-Request-Id', 'Cookie', 'User-Agent', 'Referer'),
  visible(0, 200),
) satisfies Arbitrary<Headers[number]>;

function pathPart(template: string, parameters: readonly Parameter[]): Arbitrary<Part<string>> {
  return fc.tuple(...parameters.map(segmentPart)).map((segments) => ({
    value: segments.reduce(
      (path, { value: [name, text] }) => path.replace(`{${name}}`, () => text),
      template,
    ),
    expectation: together(segments),
  }));
}

function segmentPart({ name, schema }: Parameter): Arbitrary<Part<[name: string, text: string]>> {
  return mostly(
    8,
    accepted(plainValue(schema).map(encodeURIComponent)),
    // Text that is no id is invalid only for one of ours: Nest's ParseIntPipe accepts 1.0.
    (schema['format'] === 'int64' ? refused : either)(fc.constantFrom(...NO_IDS)),
    refused(fc.constantFrom(...BAD_ESCAPES)),
    either(anyTarget),
  ).map(({ value, expectation }) => ({ value: [name, value], expectation }));
}

function queryPart(parameters: readonly Parameter[]): Arbitrary<Part<string>> {
  const given = parameters.map(({ name, required, schema }) => {
    const assignment = (value: string) => `${name}=${value}`;
    // A valid cursor can only come from the previous page.
    const isCursor = name === 'cursor';
    const { items, maxItems } = schema as { items?: Schema; maxItems?: number };
    const one = plainValue(items ?? schema).map((value) => assignment(encodeURIComponent(value)));
    const times = (least: number, most: number) =>
      fc.array(one, { minLength: least, maxLength: most }).map((values) => values.join('&'));
    const plain = items ? times(1, maxItems!) : one;
    const values = mostly(
      6,
      isCursor ? refused(plain) : accepted(plain),
      refused(fc.constantFrom(...offParameters(items ?? schema)).map(assignment)),
      refused(items ? times(maxItems! + 1, maxItems! + 3) : one.map((assigned) => `${assigned}&${assigned}`)),
      either(anyTarget.map(assignment)),
    );
    const missing = refused(fc.constant(''));
    return required ? mostly(8, values, missing) : onceIn(isCursor ? 8 : 2, values);
  });
  return fc.tuple(...given, onceIn(6, either(anyTarget))).map((options) => {
    const parts = options.filter((option) => option !== null);
    const value = parts.flatMap((part) => part.value || []).join('&');
    return { value, expectation: together(parts) };
  });
}

/** Values of a query parameter that the service refuses, as they are written in the URL. */
function offParameters(schema: Schema): string[] {
  const {
    type,
    minimum,
    maximum,
    enum: choices,
  } = schema as {
    type?: string;
    minimum?: number;
    maximum?: number;
    enum?: string[];
  };
  if (type === 'integer') return [...NO_NUMBERS, `${minimum! - 1}`, `${maximum! + 1}`];
  if (choices) {
    const changed = choices.flatMap((choice) => [choice.toUpperCase(), ` ${choice}`, choice.slice(1)]);
    // A choice may be another one with a sign before it.
    const off = changed.filter((text) => !choices.includes(text));
    return [...NO_CHOICES, ...off.map(encodeURIComponent)];
  }
  if (type === 'number' || type === 'boolean') return ['', '%ff', 'abc', 'TRUE', '%20true', '1,5'];
  // A pattern may refuse more texts than these.
  return ['', '%00', '%ff'];
}

/** Requests that every operation must have refused: the generated ones may lack one by chance. */
export function refusedRequests(operation: Operation, keys: FuzzKeys): FuzzRequest[] {
  const { method, scopes } = operation;
  const tokens = [keys.exhausted, ...(scopes.length > 0 ? [narrowKey(keys, operation)] : [])];
  const path = operation.path.replace(/\{\w+\}/g, '1');
  const withKey = tokens.map((token): Headers => [['Authorization', `Bearer ${token}`]]);
  return [[], ...withKey].map((headers) => ({
    ...{ operation, method, path, headers, body: null, expectation: 'refused' as const },
  }));
}

/** A key without the scopes of the operation. One without scopes that refuses some reads data of several. */
function narrowKey({ narrow }: FuzzKeys, { scopes }: Operation): string {
  if (scopes.length === 0) return narrow['keys:manage'];
  return narrow[scopes.includes('pets:read') ? 'orders:read' : 'pets:read'];
}

function credentialPart(keys: FuzzKeys, operation: Operation): Arbitrary<Part<Headers>> {
  const { unlimited, exhausted } = keys;
  const bearer: Headers = [['Authorization', `Bearer ${unlimited}`]];
  const malformed = [
    `Basic ${unlimited}`,
    `Bearer ${unlimited}x`,
    `Bearer ${unlimited} x`,
    unlimited,
    'Bearer',
    '',
  ];
  const authorization = (value: string): Headers => [['Authorization', value]];
  return mostly(
    18,
    accepted(
      fc.constantFrom(bearer, authorization(`bearer  ${unlimited}`), authorization(`BEARER ${unlimited}`)),
    ),
    refused(fc.constantFrom<Headers>([], [...bearer, ...bearer])),
    refused(fc.constantFrom(...malformed).map(authorization)),
    refused(visible(0, 60).map((token) => authorization(`Bearer ${token}`))),
    refused(fc.constant(authorization(`Bearer ${exhausted}`))),
    (operation.responses.has(403) ? refused : accepted)(
      fc.constant(authorization(`Bearer ${narrowKey(keys, operation)}`)),
    ),
  );
}

function headersPart(parameters: readonly Parameter[]): Arbitrary<Part<Headers>> {
  const given = parameters.map(({ name, schema }) => {
    const header = (value: string): Headers => [[name, value]];
    if (name === 'If-Match') {
      const tags = [either(fc.constantFrom('*', '"a"', 'W/"a", "b"').map(header))];
      return onceIn(3, fc.oneof(...tags, refused(fc.constantFrom('a', '"', '', ',', '"a" "b"').map(header))));
    }
    if (schema['type'] === 'integer') {
      // An id may be ahead of the stream.
      const valid = name === 'Last-Event-ID' ? either : accepted;
      const numbers = [
        valid(plainValue(schema).map(header)),
        refused(fc.constantFrom('x', '1, 2', '-1').map(header)),
      ];
      return onceIn(2, fc.oneof(...numbers));
    }
    if (name === 'Range') return onceIn(2, either(fc.constantFrom(...RANGES, ...LARGE_RANGES).map(header)));
    if (name !== 'Idempotency-Key') {
      return onceIn(2, accepted(fc.oneof(fc.constantFrom(...CONDITIONS), visible(0, 80)).map(header)));
    }
    // There are only a few values, so some are used more than once.
    const values = mostly(
      8,
      accepted(fc.constantFrom(...KEYS_OF_RETRIES).map(header)),
      refused(fc.constantFrom(...NO_KEYS_OF_RETRIES).map(header)),
      refused(fc.constant<Headers>([...header('a'), ...header('b')])),
    );
    return onceIn(3, values);
  });
  return fc.tuple(...given).map((options) => {
    const parts = options.filter((option) => option !== null);
    return { value: parts.flatMap(({ value }) => value), expectation: together(parts) };
  });
}

function contentPart(body: Body): Arbitrary<Part<Content>> {
  return body.kind === 'bytes' ? bytesPart(body) : jsonPart(body.schema);
}

const ofType = (type: string): Headers => [['Content-Type', type]];

/** Of an operation that takes no body. */
const noContent: Arbitrary<Part<Content>> = contentOf(
  accepted(fc.constantFrom<Headers>([], ...JSON_TYPES.map(ofType))),
  mostly(
    8,
    accepted(fc.constantFrom(null, Buffer.alloc(0), Buffer.from('{}'))),
    refused(fc.constantFrom(Buffer.from('{"unknown":1}'), Buffer.alloc(BODY_LIMIT_BYTES + 1, 'x'))),
    either(fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))),
  ),
);

/** The type and the bytes of a body are independent. */
function contentOf(types: Arbitrary<Part<Headers>>, bodies: Arbitrary<Part<Buffer | null>>) {
  return fc.tuple(types, bodies).map(([type, body]): Part<Content> => ({
    value: { headers: type.value, body: body.value },
    expectation: together([type, body]),
  }));
}

/** What the bytes say the document does not know, so an operation that looks into them may refuse any. */
function bytesPart({ types, maxBytes }: Body & { kind: 'bytes' }): Arbitrary<Part<Content>> {
  const spelled = types.flatMap((type) => [type, type.toUpperCase(), `${type}; x=y`]);
  const compressed: Headers = [...ofType(types[0]!), ['Content-Encoding', 'gzip']];
  const others = [...OTHER_TYPES, ...JSON_TYPES, ...types.map((type) => `${type}x`)];
  const largest = Math.min(maxBytes, 100_000);
  return contentOf(
    mostly(
      8,
      accepted(fc.constantFrom(...spelled).map(ofType)),
      refused(fc.constantFrom(...others).map(ofType)),
      refused(fc.constantFrom<Headers>([], compressed)),
    ),
    mostly(
      8,
      accepted(fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes))),
      accepted(fc.constant(Buffer.alloc(largest, 0xff))),
      refused(fc.constant<Buffer | null>(Buffer.alloc(0))),
      refused(fc.constant(null)),
      ...(maxBytes < MAX_SENT_BYTES ? [refused(fc.constant(Buffer.alloc(maxBytes + 1)))] : []),
    ),
  );
}

function jsonPart(schema: Schema): Arbitrary<Part<Content>> {
  const compressed: Headers = [...ofType('application/json'), ['Content-Encoding', 'gzip']];
  const types = mostly(
    20,
    accepted(fc.constantFrom(...JSON_TYPES).map(ofType)),
    refused(fc.constantFrom(...OTHER_TYPES).map(ofType)),
    refused(fc.constantFrom<Headers>([], compressed)),
  );
  const bytes = (text: string): Buffer | null => Buffer.from(text);
  const valid = validJson(schema);
  const bodies = mostly(
    8,
    valid.map((json): Part<Buffer | null> => {
      const body = Buffer.from(json);
      return { value: body, expectation: body.length > BODY_LIMIT_BYTES ? 'refused' : 'accepted' };
    }),
    refused(offJson(schema).map(bytes)),
    refused(offJson(schema).map(bytes)),
    refused(offJson(schema).map(bytes)),
    refused(fc.constantFrom(...NO_JSON).map(bytes)),
    refused(fc.constantFrom(...TOO_DEEP_OR_LARGE).map(bytes)),
    refused(valid.map((json) => bytes(json.slice(0, -1)))),
    refused(valid.map((json) => Buffer.concat([Buffer.from(json), Buffer.from([0xff])]))),
    either(fc.json().map(bytes)),
    either(fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))),
    refused(fc.constant(null)),
  );
  return contentOf(types, bodies);
}
