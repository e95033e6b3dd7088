import { bearerToken, SEVERAL_HEADERS } from './bearer.js';

describe('the bearer token of a request', () => {
  it.each([
    ['as every client writes it', ['Host', 'a', 'Authorization', 'Bearer abc']],
    ['with the scheme in small letters', ['authorization', 'bearer abc']],
    ['with everything in capitals', ['AUTHORIZATION', 'BEARER abc']],
    ['after several spaces', ['Authorization', 'Bearer   abc']],
    [
      'beside headers with a name as long',
      ['If-None-Match', 'x', 'Authorization', 'Bearer abc', 'Cache-Control', 'y'],
    ],
  ])('is found %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBe('abc');
  });

  it.each([
    ['without a header', ['Host', 'a']],
    ['with an empty header', ['Authorization', '']],
    ['with another scheme', ['Authorization', 'Basic YTpi']],
    ['with a scheme that only starts alike', ['Authorization', 'BearerToken abc']],
    ['with the scheme alone', ['Authorization', 'Bearer']],
    ['with the scheme and nothing after it', ['Authorization', 'Bearer ']],
    ['when a value only looks like the header name', ['X-Note', 'Authorization', 'Bearer abc', 'x']],
  ])('is missing %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBeNull();
  });

  it.each([
    ['the same header twice', ['Authorization', 'Bearer abc', 'authorization', 'Bearer abc']],
    ['a good and an empty one', ['Authorization', 'Bearer abc', 'Authorization', '']],
    ['another scheme first', ['Authorization', 'Basic YTpi', 'Authorization', 'Bearer abc']],
  ])('is none of the two a request sends: %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBe(SEVERAL_HEADERS);
  });

  it('is handed on as sent when it has spaces inside', () => {
    expect(bearerToken(['Authorization', 'Bearer abc def'])).toBe('abc def');
  });
});
