import { hash } from 'node:crypto';
import { BadRequestException } from '@nestjs/common';
import fc from 'fast-check';
import type { Place } from '@animal-store/kernel';
import { anyCharacter } from '@animal-store/kernel/testing';
import { RequestValidationPipe } from '../input/request-validation.pipe.js';
import { decodeCursor, encodeCursor, type ListAddress, ListDto, requestedList } from './list-query.js';

const PETS: ListAddress = { path: '/v1/pets', filters: { status: undefined } };
const BY_NAME: ListAddress = { path: '/v1/pets', filters: { sort: 'name' }, sortValue: 'text' };
const BY_CATEGORY: ListAddress = { path: '/v1/pets', filters: { sort: '-categoryId' }, sortValue: 'int64' };

const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const id = fc.bigInt(1n, 2n ** 63n - 1n);

/** A cursor made by an attacker who has read the source. */
function forged(list: ListAddress, place: Place): string {
  return encodeCursor(list, place);
}

function expectRefused(list: ListAddress, text: string): void {
  expect(() => decodeCursor(list, text)).toThrow(BadRequestException);
  expect(() => decodeCursor(list, text)).toThrow('cursor must be copied unchanged from the Link header');
}

describe('a cursor', () => {
  it('is null for the first page', () => {
    expect(decodeCursor(PETS, undefined)).toBeNull();
  });

  it('returns the place it was made from, in each kind of list', () => {
    fc.assert(
      fc.property(id, int64, fc.string({ unit: anyCharacter }), (afterId, number, text) => {
        for (const [list, place] of [
          [PETS, { id: afterId }],
          [BY_CATEGORY, { id: afterId, value: number }],
          [BY_NAME, { id: afterId, value: text.replaceAll('\0', '') }],
        ] as const) {
          expect(decodeCursor(list, encodeCursor(list, place))).toEqual(place);
        }
      }),
    );
  });

  it.each<[string, ListAddress, Place]>([
    ['AAAAAAAAAAF-8RY586zhoQ', PETS, { id: 1n }],
    ['AAAAAAAAAAHRqJJRYc_qiQ', { ...PETS, filters: { status: ['placed', 'completed'] } }, { id: 1n }],
    ['f__________FgXVjamEg8J-mnOnv64sMo_Sv', BY_NAME, { id: 2n ** 63n - 1n, value: 'Łucja 🦜' }],
    ['AAAAAAAAAAf__________-Y1sEv_xRRT', BY_CATEGORY, { id: 7n, value: -1n }],
  ])('is accepted for ever: %s of version 2.0.0', (text, list, place) => {
    expect(encodeCursor(list, place)).toBe(text);
    expect(decodeCursor(list, text)).toEqual(place);
  });

  it('stays valid when a list gets an optional filter, in whatever place', () => {
    const filters = { status: 'sold', kind: ['a', 'b'] };
    const cursor = encodeCursor({ ...PETS, filters }, { id: 7n });
    const later = { name: undefined, kind: ['a', 'b'], since: undefined, status: 'sold' };

    expect(decodeCursor({ ...PETS, filters: later }, cursor)).toEqual({ id: 7n });
    expectRefused({ ...PETS, filters: { ...later, name: 'Rex' } }, cursor);
  });

  it.each([
    ['another path', { ...PETS, path: '/v1/store/orders' }],
    ['another filter', { ...PETS, filters: { status: 'sold' } }],
    ['another sort', BY_NAME],
    ['another sort', BY_CATEGORY],
  ])('is refused by a list with %s', (_, list) => {
    expectRefused(list, encodeCursor(PETS, { id: 7n }));
    expectRefused(PETS, encodeCursor(list, { id: 7n, value: list.sortValue === 'text' ? 'Rex' : undefined }));
  });

  it('of one sort is refused by the same sort in the other direction', () => {
    const ascending = { ...BY_CATEGORY, filters: { sort: 'categoryId' } };

    expectRefused(ascending, encodeCursor(BY_CATEGORY, { id: 7n, value: 3n }));
  });

  it('is refused when any of its characters is changed, or it is longer or shorter', () => {
    const cursor = encodeCursor(BY_NAME, { id: 7n, value: 'Rex' });

    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      expectRefused(BY_NAME, cursor.slice(0, index) + other + cursor.slice(index + 1));
    }
    for (const text of ['', cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`])
      expectRefused(BY_NAME, text);
  });

  it.each([0n, -1n, -(2n ** 63n)])('forged after id %s is refused, as no page ends there', (afterId) => {
    expectRefused(PETS, forged(PETS, { id: afterId }));
  });

  it('forged with another type of value than the list is sorted by is refused', () => {
    expectRefused(PETS, forged(PETS, { id: 7n, value: 'Rex' }));
    expectRefused(BY_CATEGORY, forged(BY_CATEGORY, { id: 7n, value: 'Rex' }));
    expectRefused(BY_CATEGORY, forged(BY_CATEGORY, { id: 7n }));
    // Eight characters are as long as a number.
    expectRefused(PETS, forged(PETS, { id: 7n, value: 'Rex Rex ' }));
    expectRefused(PETS, forged(PETS, { id: 7n, value: 8n }));
  });

  it('forged with text that a database cannot store is refused', () => {
    expectRefused(BY_NAME, forged(BY_NAME, { id: 7n, value: 'Re\0x' }));
    const place = Buffer.concat([Buffer.from('0000000000000007', 'hex'), Buffer.from([0xff])]);
    const seal = hash('sha256', '/v1/pets?sort=name#7#\ufffd', 'buffer').subarray(0, 8);
    expectRefused(BY_NAME, Buffer.concat([place, seal]).toString('base64url'));
  });
});

describe('a requested list', () => {
  const query = { limit: 20, pet: 7n, topic: ['zoo', 'food', 'zoo'], status: undefined };

  it('has every filter, and each list of values as a set', () => {
    expect(requestedList('/v1/reviews', query)).toEqual({
      path: '/v1/reviews',
      filters: { pet: 7n, topic: ['food', 'zoo'], status: undefined },
      page: { limit: 20, after: null },
    });
  });

  it('has the place of a cursor with the same filters, in any order of their values', () => {
    const cursor = encodeCursor(requestedList('/v1/reviews', query), { id: 9n });

    const again = requestedList('/v1/reviews', { ...query, topic: ['zoo', 'food'], cursor });
    expect(again.page.after).toEqual({ id: 9n });
    for (const topic of [['zoo'], ['food,zoo'], ['food&topic=zoo'], []])
      expect(() => requestedList('/v1/reviews', { ...query, topic, cursor })).toThrow(BadRequestException);
  });
});

describe('The query of a page', () => {
  const read = async (query: object) => ({
    ...((await new RequestValidationPipe().transform(query, { type: 'query', metatype: ListDto })) as object),
  });

  it.each([
    [{}, { limit: 20 }],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '7' }, { limit: 7 }],
    [{ limit: '10' }, { limit: 10 }],
    [{ limit: '100' }, { limit: 100 }],
    [{ cursor: 'AAAA' }, { limit: 20, cursor: 'AAAA' }],
  ])('%j has %j', async (query, page) => {
    expect(await read(query)).toEqual(page);
  });

  it.each(['0', '101', '1000', '-1', '01', '1.0', '1e1', '1x', 'x1', 'a', '', ' 1'])(
    'has no limit %j',
    async (limit) => {
      await expect(read({ limit })).rejects.toThrow('limit must be a whole number from 1 to 100.');
    },
  );

  it('has one cursor', async () => {
    await expect(read({ cursor: 7 })).rejects.toThrow('cursor must be a string.');
  });
});

it('The longest cursor, of a list sorted by text of 380 characters, is as long as documented', () => {
  const place = { id: 2n ** 63n - 1n, value: '🦜'.repeat(380) };

  expect(encodeCursor(BY_NAME, place)).toHaveLength(2_048);
});
