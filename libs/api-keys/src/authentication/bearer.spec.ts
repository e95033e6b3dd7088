import { bearerToken, SEVERAL_HEADERS } from './bearer.js';

describe('the bearer token of a request', () => {
  it.each([
    ['in the usual form', ['Host', 'a', 'Authorization', 'Bearer abc']],
    ['with the scheme in lower case', ['authorization', 'bearer abc']],
    ['with name and scheme in upper case', ['AUTHORIZATION', 'BEARER abc']],
    ['after several spaces', ['Authorization', 'Bearer   abc']],
    [
      'between headers whose names have the same length',
      ['If-None-Match', 'x', 'Authorization', 'Bearer abc', 'Cache-Control', 'y'],
    ],
  ])('is found %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBe('abc');
  });

  it.each([
    ['without a header', ['Host', 'a']],
    ['with an empty header', ['Authorization', '']],
    ['with another scheme', ['Authorization', 'Basic YTpi']],
    ['with a scheme that only starts with "Bearer"', ['Authorization', 'BearerToken abc']],
    ['with the scheme alone', ['Authorization', 'Bearer']],
    ['with the scheme and nothing after it', ['Authorization', 'Bearer ']],
    ['when only a header value is "Authorization"', ['X-Note', 'Authorization', 'Bearer abc', 'x']],
  ])('is missing %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBeNull();
  });

  it.each([
    ['the same header twice', ['Authorization', 'Bearer abc', 'authorization', 'Bearer abc']],
    ['a good and an empty one', ['Authorization', 'Bearer abc', 'Authorization', '']],
    ['another scheme first', ['Authorization', 'Basic YTpi', 'Authorization', 'Bearer abc']],
  ])('is not read from two Authorization headers: %s', (_, rawHeaders) => {
    expect(bearerToken(rawHeaders)).toBe(SEVERAL_HEADERS);
  });

  it('may contain spaces, which stay as sent', () => {
    expect(bearerToken(['Authorization', 'Bearer abc def'])).toBe('abc def');
  });
});
