import { anApiKey, plans } from '../testing/api-key.builder.js';
import { keyLabelProblem } from './api-key.js';
import { InactiveApiKey } from '@animal-store/api-keys/issuing';

const SUCCESSOR = { id: 'key_2', text: 'text of key_2', hash: 'hash of key_2' };
const NOW_MS = Date.UTC(2026, 2, 14);
const HOUR_MS = 3_600_000;

describe('the status of a key', () => {
  it('is active until the millisecond before its expiry', () => {
    const key = anApiKey({ expiresAtMs: NOW_MS });
    expect(key.statusAt(NOW_MS - 1)).toBe('active');
    expect(key.statusAt(NOW_MS)).toBe('expired');
  });

  it('is revoked even after it would have expired', () => {
    expect(anApiKey({ expiresAtMs: NOW_MS, revokedAtMs: NOW_MS - 1 }).statusAt(NOW_MS)).toBe('revoked');
  });
});

describe.each([
  ['revoked', anApiKey({ revokedAtMs: NOW_MS })],
  ['expired', anApiKey({ expiresAtMs: NOW_MS })],
])('a key that is %s', (status, key) => {
  it.each([
    ['cannot change its plan', () => key.changePlan(plans.of('pro'), NOW_MS)],
    ['cannot be rotated', () => key.rotate(SUCCESSOR, HOUR_MS, NOW_MS)],
  ])('%s', (_, verb) => {
    expect(verb).toThrow(InactiveApiKey);
    expect(verb).toThrow(`Key key_anna is ${status}.`);
  });
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
