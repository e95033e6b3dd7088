import { groupable, groupedSql, groupedTypeOf } from './grouped-statement.js';

describe('the type of a value in a grouped statement', () => {
  it.each([
    [1n, 'bigint'],
    ['calm', 'text'],
    [true, 'boolean'],
    [30, 'bigint'],
  ])('of %p is %s', (value, type) => {
    expect(groupedTypeOf(value)).toBe(type);
  });

  it.each([1.5, 2 ** 53, null, Buffer.from('calm')])('is none for %p', (value) => {
    expect(groupedTypeOf(value)).toBeNull();
  });
});

it('a grouped statement runs the SELECT for each element of its arguments, in the order of both', () => {
  const sql = 'SELECT a FROM cages WHERE size = $1 AND id > $12';
  const grouped = groupedSql(
    { sql, groupable: { names: ['id', 'size'], order: ['"size" DESC', '"id" ASC'] } },
    ['text', 'bigint'],
  );

  expect(grouped.replace(/\s+/g, ' ')).toBe(
    'SELECT given.n::int, one."id", one."size"' +
      ' FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS given(a1, a2, n)' +
      ' CROSS JOIN LATERAL (SELECT * FROM (SELECT a FROM cages WHERE size = given.a1 AND id > given.a12) AS one' +
      ' OFFSET 0) AS one ORDER BY given.n, one."size" DESC, one."id" ASC',
  );
});

describe('a statement can be grouped', () => {
  type Read = Parameters<typeof groupable>;

  const id = { propertyPath: 'id', type: 'bigint' };
  const size = { propertyPath: 'size', type: 'text' };
  const groupedBy = (orderBys: object, { selects = [{}, {}], of = [id, size] } = {}) =>
    groupable(
      { selects, orderBys, mainAlias: { name: 'cage', metadata: { columns: of } } } as unknown as Read[0],
      [id, size] as unknown as Read[1],
    );

  it('with the names of its columns, and the order of its rows', () => {
    const last = { order: 'ASC', nulls: 'NULLS LAST' };

    expect(groupedBy({})).toEqual({ names: ['id', 'size'], order: [] });
    expect(groupedBy({ 'cage.size': 'DESC', 'cage.id': last })).toEqual({
      names: ['id', 'size'],
      order: ['"size" DESC', '"id" ASC NULLS LAST'],
    });
    expect(groupedBy({ 'cage.id': { order: 'ASC' } })?.order).toEqual(['"id" ASC']);
  });

  it('unless it selects an expression', () => {
    expect(groupedBy({}, { selects: [{}, {}, {}] })).toBeNull();
  });

  it.each(['pens.size', 'cage.label'])('unless it is sorted by what it does not select: %s', (sort) => {
    expect(groupedBy({ [sort]: 'ASC' })).toBeNull();
  });

  it.each(['char', 'character', 'citext'])('unless its record has a column of the type %s', (type) => {
    expect(groupedBy({}, { of: [id, size, { propertyPath: 'code', type }] })).toBeNull();
  });
});
