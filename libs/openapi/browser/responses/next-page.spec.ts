import { nextPageQuery } from './next-page.js';

describe('nextPageQuery', () => {
  it.each([
    ['</v1/pets?limit=2&cursor=AAA-_b>; rel="next"', { limit: '2', cursor: 'AAA-_b' }],
    ['</docs>; rel="sunset", </v1/pets?status=sold&cursor=B>; rel="next"', { status: 'sold', cursor: 'B' }],
    ['<https://api.example/v1/pets?cursor=C>; rel="next"', { cursor: 'C' }],
  ])('reads %s', (link, query) => {
    expect(Object.fromEntries(nextPageQuery(link)!)).toEqual(query);
  });

  it('reads every value of a list', () => {
    const query = nextPageQuery('</v1/store/orders?status=placed&status=completed&cursor=A>; rel="next"');
    expect(query?.getAll('status')).toEqual(['placed', 'completed']);
  });

  it.each(['', '</docs/deprecations>; rel="deprecation", </v1/pets>; rel="successor-version"'])(
    'finds no next page in "%s"',
    (link) => {
      expect(nextPageQuery(link)).toBeNull();
    },
  );
});
