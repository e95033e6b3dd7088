import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseExact, stringifyExact } from '../../clients/typescript/src/json.js';
import { retryAfterMs } from '../../clients/typescript/src/retry.js';

describe('The TypeScript client', () => {
  it('is generated from docs/openapi.json as it is; "npm run client:generate" brings it up to date', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/generate-client.mjs', '--check'], {
      cwd: resolve(__dirname, '../..'),
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

describe('parseExact', () => {
  const parse = (text: string) => parseExact(text, new Set(['id', 'petId']));

  it.each([
    ['{"id":9223372036854775807}', { id: 9223372036854775807n }],
    ['{"id" : -9223372036854775808 }', { id: -9223372036854775808n }],
    ['[{"id":1,"petId":2},{"id":3}]', [{ id: 1n, petId: 2n }, { id: 3n }]],
    ['{"\\u0069d":9007199254740993}', { id: 9007199254740993n }],
    ['{"status":404}', { status: 404 }],
    ['{"id":1.5}', { id: 1.5 }],
    ['{"id":12.5}', { id: 12.5 }],
    ['{"id":1e3}', { id: 1000 }],
    ['{"id":null}', { id: null }],
    ['{"name":"\\"id\\": 7, {\\"id\\":8}"}', { name: '"id": 7, {"id":8}' }],
    ['{"name":"id\\\\","id":7}', { name: 'id\\', id: 7n }],
    ['"id"', 'id'],
    ['[]', []],
  ])('reads %s', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each(['', '{"id":}', '{"id":7', '{"id":01}', '"'])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });
});

describe('stringifyExact', () => {
  it.each([
    [{ id: 9223372036854775807n, name: 'Rex "II"' }, '{"id":9223372036854775807,"name":"Rex \\"II\\""}'],
    [{ status: undefined, name: null }, '{"name":null}'],
    [[1n, 2, true, 'a', {}], '[1,2,true,"a",{}]'],
  ])('writes %p', (value, text) => {
    expect(stringifyExact(value)).toBe(text);
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
