import { anApiKey, plans } from '../testing/api-key.builder.js';
import { ApiKey, keyLabelProblem } from './api-key.js';
import { InactiveApiKey, InvalidNewKey } from '@animal-store/api-keys/issuing';

const SECRET = { id: 'key_1', text: 'text of key_1', hash: 'hash of key_1' };
const SUCCESSOR = { id: 'key_2', text: 'text of key_2', hash: 'hash of key_2' };
const NOW_MS = Date.UTC(2026, 2, 14);
const HOUR_MS = 3_600_000;

describe('issuing a key', () => {
  it('gives it an account of its own unless one is named', () => {
    const plan = plans.of('free');
    expect(ApiKey.issue(SECRET, { name: 'shop', plan }, NOW_MS).account).toBe('key_1');
    expect(ApiKey.issue(SECRET, { name: 'shop', plan, account: ' zoo ' }, NOW_MS).account).toBe('zoo');
  });

  it('starts its lifetime now', () => {
    const key = ApiKey.issue(SECRET, { name: 'shop', plan: plans.of('free'), expiresInMs: HOUR_MS }, NOW_MS);
    expect(key.createdAtMs).toBe(NOW_MS);
    expect(key.expiresAtMs).toBe(NOW_MS + HOUR_MS);
  });

  it('does not store its text', () => {
    const key = ApiKey.issue(SECRET, { name: 'shop', plan: plans.of('free') }, NOW_MS);
    expect(JSON.stringify(key)).not.toContain('text of key_1');
  });

  it.each([
    [{ name: ' ' }, 'name must have 1 to 100 characters, none of them a control character.'],
    [{ account: 'a\tb' }, 'account must have 1 to 100 characters, none of them a control character.'],
    [{ expiresInMs: 0 }, 'expiresAt must be later than now, in whole milliseconds.'],
  ])('refuses %j', (bad, message) => {
    const issue = () => ApiKey.issue(SECRET, { name: 'shop', plan: plans.of('free'), ...bad }, NOW_MS);
    expect(issue).toThrow(InvalidNewKey);
    expect(issue).toThrow(message);
  });
});

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

describe('rotating a key', () => {
  const old = anApiKey({ plan: plans.of('pro') });

  it('makes a key with the same properties and another secret', () => {
    const { successor } = old.rotate(SUCCESSOR, HOUR_MS, NOW_MS);
    expect(successor).toEqual(
      anApiKey({ id: 'key_2', hash: 'hash of key_2', plan: plans.of('pro'), createdAtMs: NOW_MS }),
    );
  });

  it('lets the old key expire after the grace period', () => {
    const { replaced } = old.rotate(SUCCESSOR, HOUR_MS, NOW_MS);
    expect(replaced).toMatchObject({ expiresAtMs: NOW_MS + HOUR_MS, revokedAtMs: null, replacedBy: 'key_2' });
  });

  it('revokes the old key when there is no grace period', () => {
    expect(old.rotate(SUCCESSOR, 0, NOW_MS).replaced).toMatchObject({
      revokedAtMs: NOW_MS,
      expiresAtMs: null,
    });
  });

  it('extends no expiry', () => {
    const { replaced, successor } = anApiKey({ expiresAtMs: NOW_MS + 60_000 }).rotate(
      SUCCESSOR,
      HOUR_MS,
      NOW_MS,
    );
    expect(replaced.expiresAtMs).toBe(NOW_MS + 60_000);
    expect(successor.expiresAtMs).toBe(NOW_MS + 60_000);
  });

  it('is refused for a key that was already rotated and is in its grace period', () => {
    const { replaced } = old.rotate(SUCCESSOR, HOUR_MS, NOW_MS);
    expect(() => replaced.rotate(SECRET, HOUR_MS, NOW_MS + 1)).toThrow(
      'Key key_anna is already replaced by key_2: use that one.',
    );
  });
});

describe('revoking a key', () => {
  it('stores the time', () => {
    expect(anApiKey().revoke(NOW_MS)).toMatchObject({ revokedAtMs: NOW_MS, changedAtMs: NOW_MS });
  });

  it('changes nothing the second time', () => {
    const revoked = anApiKey().revoke(NOW_MS);
    expect(revoked.revoke(NOW_MS + 1)).toBe(revoked);
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
