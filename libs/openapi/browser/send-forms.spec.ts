import { enteredRequest } from './send-forms.js';

describe('The request of a form', () => {
  it('has the values where the names of the fields say, and leaves out what is empty', () => {
    const form = { method: 'POST', path: '/v1/ships/{shipId}/trips' };
    const fields = [
      ['path.shipId', 'a/b'],
      ['query.limit', '5'],
      ['query.cursor', ''],
      ['header.If-Match', '"1"'],
      ['body', '{"mass":9223372036854775807}'],
    ] as const;

    expect(enteredRequest(form, fields, 'sk_live_1')).toEqual({
      url: '/v1/ships/a%2Fb/trips?limit=5',
      init: {
        method: 'POST',
        headers: {
          Authorization: 'Bearer sk_live_1',
          'If-Match': '"1"',
          'Content-Type': 'application/json',
        },
        body: '{"mass":9223372036854775807}',
      },
    });
  });

  it('has no key and no body when none was entered', () => {
    expect(enteredRequest({ method: 'GET', path: '/v1/ships' }, [], '')).toEqual({
      url: '/v1/ships',
      init: { method: 'GET', headers: {} },
    });
  });
});
