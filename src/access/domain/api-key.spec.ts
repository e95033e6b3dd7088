import { anApiKey } from '../testing/api-key.builder.js';
import { keyLabelProblem } from './api-key.js';

it('a key is revoked even after it would have expired', () => {
  expect(anApiKey({ expiresAtMs: 7, revokedAtMs: 6 }).statusAt(7)).toBe('revoked');
});

describe('a label', () => {
  it.each(['a', 'Anna’s shop', '  in blanks  ', '日本語', '🦜'.repeat(100)])('can be %j', (text) => {
    expect(keyLabelProblem(text)).toBeNull();
  });

  it.each([
    '',
    '   ',
    'a\nb',
    '\u001b[31mred',
    'a\u0000',
    '\ud800',
    'abc\u202egpj.exe',
    '\u2066shop',
    'x'.repeat(101),
  ])('cannot be %j', (text) => {
    expect(keyLabelProblem(text)).toBe('must have 1 to 100 characters, none of them a control character');
  });
});
