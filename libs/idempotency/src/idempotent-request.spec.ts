import { BadRequestException } from '@nestjs/common';
import { parseIdempotencyKey } from './idempotent-request.js';

describe('parseIdempotencyKey', () => {
  it.each([
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~', '!~'],
    ['a,b', 'a,b'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each([
    '',
    '""',
    '"',
    'a"b',
    '"a',
    'a"',
    '"a"b"',
    'a b',
    'given, twice',
    'caf\u00e9',
    'a\tb',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ])('refuses %j', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(BadRequestException);
  });
});
