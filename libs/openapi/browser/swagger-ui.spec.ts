import { wholeHeaders } from './swagger-ui.js';

describe('wholeHeaders', () => {
  it('puts a header together again that was cut at its commas', () => {
    const response = { headers: { date: ['Sat', '14 Mar 2026 12:00:00 GMT'], vary: 'Authorization' } };

    expect(wholeHeaders(response)).toEqual({
      headers: { date: 'Sat, 14 Mar 2026 12:00:00 GMT', vary: 'Authorization' },
    });
  });
});
