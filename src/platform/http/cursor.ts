import { hash } from 'node:crypto';
import { BadRequestException } from '@nestjs/common';
import type { Place } from '../../shared/page.js';

const ID_BYTES = 8;
const SEAL_BYTES = 8;
/** Of a character in UTF-8, at most. */
const CHARACTER_BYTES = 4;
const FIRST_ID = 1n;

/** A list as clients name it when they ask for the next page. */
export interface ListAddress {
  /** The path of the list, `/v1/pets`. */
  path: string;
  /** The filters and the sort in force; undefined ones are left out. A cursor fits the list with the same ones alone. */
  filters: Readonly<Record<string, string | undefined>>;
  /** What kind of value the list is sorted by, when that is not the id alone. */
  sortValue?: 'text' | 'int64';
}

/**
 * An opaque mark of a place in a list: the id after which the page starts, behind it the value that the list is sorted
 * by, and a seal over both and the list, so that an altered cursor, or one of another list, filter or sort, is noticed.
 *
 * The seal is no signature: whoever knows how can make a cursor of their own. All it then names is a place in a list
 * that they may read anyway, as the filters, and whose list it is, come from the request and never from the cursor.
 */
export function encodeCursor(list: ListAddress, { id, value }: Place): string {
  const place = Buffer.allocUnsafe(ID_BYTES);
  place.writeBigInt64BE(id);
  const parts = [place, valueBytes(value), seal(list, id, value).subarray(0, SEAL_BYTES)];
  return Buffer.concat(parts).toString('base64url');
}

/**
 * The place after which the page starts; null without a cursor, for the first page.
 * @throws BadRequestException `invalid_cursor` when the text is no cursor of this list.
 */
export function decodeCursor(list: ListAddress, text: string | undefined): Place | null {
  if (text === undefined) return null;
  const cursor = Buffer.from(text, 'base64url');
  if (cursor.length >= ID_BYTES + SEAL_BYTES) {
    const id = cursor.readBigInt64BE();
    const value = readValue(list, cursor.subarray(ID_BYTES, -SEAL_BYTES));
    const place = value === undefined ? { id } : { id, value };
    // No page ends before the first id.
    if (id >= FIRST_ID && isOfKind(list, value) && encodeCursor(list, place) === text) return place;
  }
  throw new BadRequestException({
    code: 'invalid_cursor',
    message: 'cursor must be taken unchanged from the Link header of the page before, with the same filters.',
  });
}

/** The length of the longest cursor of a list that is sorted by text of up to `characters`. */
export function longestCursor(characters: number): number {
  const bytes = ID_BYTES + characters * CHARACTER_BYTES + SEAL_BYTES;
  return Math.ceil((bytes * 4) / 3);
}

function valueBytes(value: Place['value']): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function readValue({ sortValue }: ListAddress, bytes: Buffer): Place['value'] {
  if (sortValue === 'text') return bytes.toString();
  return sortValue === 'int64' && bytes.length === 8 ? bytes.readBigInt64BE() : undefined;
}

function isOfKind({ sortValue }: ListAddress, value: Place['value']): boolean {
  // PostgreSQL has no text with a NUL in it.
  if (sortValue === 'text') return !(value as string).includes('\0');
  return (sortValue === undefined) === (value === undefined);
}

function seal(list: ListAddress, id: bigint, value: Place['value']): Buffer {
  const filters = Object.entries(list.filters).map(([name, text]) => `${name}=${text ?? ''}`);
  const place = value === undefined ? `#${id}` : `#${id}#${value}`;
  return hash('sha256', `${list.path}?${filters.join('&')}${place}`, 'buffer');
}
