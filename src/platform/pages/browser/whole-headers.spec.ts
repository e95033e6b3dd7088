import { wholeHeaders } from './whole-headers.js';

describe('wholeHeaders', () => {
  it('puts a header together again that was cut at its commas', () => {
    const answer = { headers: { date: ['Sat', '14 Mar 2026 12:00:00 GMT'], vary: 'Authorization' } };

    expect(wholeHeaders(answer)).toEqual({
      headers: { date: 'Sat, 14 Mar 2026 12:00:00 GMT', vary: 'Authorization' },
    });
  });
});
