import { requestIdFrom } from './request-id.js';

describe('requestIdFrom', () => {
  it.each(['a', '7f3c-42', 'trace:00-4bf92f35/01@eu', 'x'.repeat(128)])('keeps the caller’s id %s', (id) => {
    expect(requestIdFrom(id)).toBe(id);
  });

  it.each([
    ['a missing one', undefined],
    ['an empty one', ''],
    ['one that is too long', 'x'.repeat(129)],
    ['two of them', 'first, second'],
    ['one with a double quote', 'a"b'],
    ['one with a single quote', "a'b"],
    ['one with a backslash', 'a\\b'],
    ['one with a control character', 'a\u0007b'],
    ['one with a character outside ASCII', 'zebra-é'],
    ['an API key', 'ask_live_4fJq0Zt8Yw2Lr6Kd9Xs3Vn7Bm1Hc5Gp0aB3dE1'],
  ])('replaces %s by an id of its own', (_, header) => {
    expect(requestIdFrom(header)).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  });

  it('never makes the same id twice', () => {
    expect(requestIdFrom(undefined)).not.toBe(requestIdFrom(undefined));
  });
});
