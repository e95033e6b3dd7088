import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Shape } from '../../clients/typescript/src/description.js';
import { withBigints } from '../../clients/typescript/src/int64.js';
import { parseJson, toJson } from '../../clients/typescript/src/json.js';
import { retryAfterMs } from '../../clients/typescript/src/retry.js';

describe('The TypeScript client', () => {
  it('is up to date with docs/openapi.json; run "npm run client:generate" to update it', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/generate-client.mjs', '--check'], {
      cwd: resolve(__dirname, '../..'),
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

/** The shape of an object with ids at every depth. */
const SHAPE: Shape = {
  fields: {
    id: 'int64',
    ids: { items: 'int64' },
    rows: { items: { items: 'int64' } },
    owner: { fields: { id: 'int64' } },
    parts: { items: { schema: 'Order' } },
    byName: { values: 'int64' },
  },
};

describe('parseJson', () => {
  it.each<[string, unknown]>([
    ['{"id":9223372036854775807}', { id: 9223372036854775807n }],
    ['{"id" : -9223372036854775808 }', { id: -9223372036854775808n }],
    ['{"\\u0069d":9007199254740993}', { id: 9007199254740993n }],
    ['{"id":7,"ids":[1,9007199254740993]}', { id: 7n, ids: [1n, 9007199254740993n] }],
    ['{"ids":[1,2],"rows":[[1],[]]}', { ids: [1n, 2n], rows: [[1n], []] }],
    [
      '{"owner":{"id":1,"age":2},"parts":[{"petId":3}]}',
      { owner: { id: 1n, age: 2 }, parts: [{ petId: 3n }] },
    ],
    ['{"byName":{"Rex":1,"__proto__":2}}', { byName: { Rex: 1n, ['__proto__']: 2n } }],
    ['{"status":404}', { status: 404 }],
    ['{"status":9007199254740993}', { status: 9007199254740992 }],
    ['{"status":[12345678901234567890]}', { status: [12345678901234567000] }],
    ['{"status":0.12345678901234567890}', { status: 0.12345678901234568 }],
    ['{"status":1.2e1234567890123456}', { status: Infinity }],
    ['{"id":12.5}', { id: 12.5 }],
    ['{"id":null,"ids":null,"owner":null}', { id: null, ids: null, owner: null }],
    [
      '{"name":"i9007199254740993","id":9007199254740993}',
      { name: 'i9007199254740993', id: 9007199254740993n },
    ],
    ['{"name":"\\"id\\": 9007199254740993, {\\"id\\":8}"}', { name: '"id": 9007199254740993, {"id":8}' }],
    ['{"name":"id\\\\","id":9007199254740993}', { name: 'id\\', id: 9007199254740993n }],
    [
      '{"9007199254740993":"sold","id":9007199254740993}',
      { '9007199254740993': 'sold', id: 9007199254740993n },
    ],
    ['"id"', 'id'],
    ['[]', []],
  ])('reads %s', (text, value) => {
    expect(parseJson(text, SHAPE)).toEqual(value);
  });

  it('reads whole numbers as numbers without a shape', () => {
    expect(parseJson('[{"id":7},9007199254740993]')).toEqual([{ id: 7 }, 9007199254740992]);
  });

  it.each([
    '',
    '{"id":}',
    '{"id":7',
    '{"id":01}',
    '{"id":09007199254740993}',
    '{"id":9007199254740993"a"}',
    '"',
  ])('refuses %j', (text) => {
    expect(() => parseJson(text, SHAPE)).toThrow(SyntaxError);
  });
});

describe('withBigints', () => {
  it('converts the numbers in the places of int64s to bigints, and changes nothing else', () => {
    const given = {
      id: 1,
      ids: [2, 3n],
      owner: { id: 4, age: 5 },
      parts: [{ petId: 6 }],
      at: new Date(0),
      name: null,
    };

    expect(withBigints(given, SHAPE)).toEqual({
      id: 1n,
      ids: [2n, 3n],
      owner: { id: 4n, age: 5 },
      parts: [{ petId: 6n }],
      at: new Date(0),
      name: null,
    });
  });

  it.each<[unknown, string]>([
    [{ ids: [1, 2 ** 53] }, 'ids[1]'],
    [{ owner: { id: 2 ** 60 } }, 'owner.id'],
    [{ parts: [{ petId: NaN }] }, 'parts[0].petId'],
    [{ byName: { Rex: 2n ** 63n } }, 'byName.Rex'],
    [{ rows: [[1], [-(2n ** 63n) - 1n]] }, 'rows[1][0]'],
  ])('refuses %p with the name of the field', (given, place) => {
    expect(() => withBigints(given, SHAPE)).toThrow(`${place} must be `);
  });
});

describe('toJson', () => {
  it.each<[unknown, string]>([
    [{ id: 9223372036854775807n, name: 'Rex "II"' }, '{"id":9223372036854775807,"name":"Rex \\"II\\""}'],
    [{ status: undefined, name: null, call: () => 1 }, '{"name":null}'],
    [[1n, 2, true, 'a', {}, undefined], '[1,2,true,"a",{},null]'],
    [
      { at: new Date(0), part: { toJSON: (name: string) => `the ${name}` } },
      '{"at":"1970-01-01T00:00:00.000Z","part":"the part"}',
    ],
    [{ most: Infinity, none: NaN }, '{"most":null,"none":null}'],
    [undefined, 'null'],
  ])('writes %p', (value, text) => {
    expect(toJson(value)).toBe(text);
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.parse('2026-03-14T12:00:00Z');

  it.each([
    ['42', 42_000],
    ['Sat, 14 Mar 2026 12:01:00 GMT', 60_000],
    ['Sat, 14 Mar 2026 11:00:00 GMT', 0],
    ['soon', null],
  ])('reads %s as %p', (text, ms) => {
    expect(retryAfterMs(new Headers({ 'Retry-After': text }), nowMs)).toBe(ms);
  });

  it('is null without the header', () => {
    expect(retryAfterMs(new Headers(), nowMs)).toBeNull();
  });
});
