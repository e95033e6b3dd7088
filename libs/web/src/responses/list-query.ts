import { hash } from 'node:crypto';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString, ValidateIf } from 'class-validator';
import type { PageRequest, Place } from '@animal-store/kernel';
import { Follows, TEXT } from '../input/rules.js';
import { InvalidCursor } from './request.errors.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** As long as the cursor of a list that is sorted by text of 380 characters. */
const MAX_CURSOR = 2_048;

const ID_BYTES = 8;
const SEAL_BYTES = 8;
const FIRST_ID = 1n;
const NO_BYTES = Buffer.alloc(0);

/** Identifies a list and its filters. */
export interface ListAddress {
  /** The path of the list, `/v1/ships`. */
  path: string;
  /** The filters and the sort: scalars and lists of them. A cursor is valid only with the same ones. */
  filters: object;
  /** The type of the column that the list is sorted by, unless that is the id. */
  sortValue?: 'text' | 'int64';
}

/** A list as requested. Its filters are named once, for the use case and for the next page. */
export interface RequestedList<Filters extends object = object> extends ListAddress {
  filters: Filters;
  page: PageRequest;
}

function limitProblem(value: unknown): string | null {
  const isLimit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_LIMIT;
  return isLimit ? null : `must be a whole number from 1 to ${MAX_LIMIT}`;
}

/** The query of a list. */
export class ListDto {
  // Number() reads more than whole numbers.
  @Transform(({ value }) => (/^[1-9]\d*$/.test(value as string) ? Number(value) : (value as unknown)), {
    groups: [TEXT],
  })
  @Follows('isLimit', limitProblem)
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'The maximum number of items.',
  })
  limit: number = DEFAULT_LIMIT;

  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_CURSOR,
    pattern: '^[\\w-]+$',
    description:
      'Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque.',
  })
  cursor?: string;
}

/**
 * Reads the query of a list: every field but `limit` and `cursor` is a filter or the sort. A list of values is a set,
 * so its cursors are valid in any order of the values, however often each is repeated.
 *
 * @param sortValue as in `ListAddress`
 * @throws InvalidCursor when the cursor is not one of this list.
 */
export function requestedList<Query extends ListDto>(
  path: string,
  query: Query,
  sortValue?: ListAddress['sortValue'],
): RequestedList<Omit<Query, 'limit' | 'cursor'>> {
  const { limit, cursor } = query;
  const filters: Record<string, unknown> = {};
  for (const name in query) {
    if (name === 'limit' || name === 'cursor') continue;
    const value: unknown = query[name];
    filters[name] = Array.isArray(value) ? [...new Set<unknown>(value)].sort() : value;
  }
  const page: { limit: number; after: Place | null } = { limit, after: null };
  const list = { path, filters: filters as Omit<Query, 'limit' | 'cursor'>, sortValue, page };
  page.after = decodeCursor(list, cursor);
  return list;
}

/** A filter as in a URL: `status=placed&status=completed` for a list of values. */
export function filterText(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => filterText(name, item)).join('&');
  return `${name}=${encodeURIComponent(String(value))}`;
}

/**
 * An opaque position in a list: the id after which the page starts, the value of the sort column, and a hash of both
 * and the list. The hash detects a cursor that was altered, or is from another list, filter or sort.
 *
 * The hash is not a signature: anyone who knows it can create a cursor. Such a cursor only names a position in a list
 * that the caller may read anyway, as the filters and the account come from the request and never from the cursor.
 */
export function encodeCursor(list: ListAddress, { id, value }: Place): string {
  const bytes = value === undefined ? NO_BYTES : valueBytes(value);
  const cursor = Buffer.allocUnsafe(ID_BYTES + bytes.length + SEAL_BYTES);
  cursor.writeBigInt64BE(id);
  cursor.set(bytes, ID_BYTES);
  seal(list, id, value).copy(cursor, ID_BYTES + bytes.length, 0, SEAL_BYTES);
  return cursor.toString('base64url');
}

/**
 * Decodes the position after which the page starts; null without a cursor, for the first page.
 * @throws InvalidCursor when the text is not a cursor of this list.
 */
export function decodeCursor(list: ListAddress, text: string | undefined): Place | null {
  if (text === undefined) return null;
  const cursor = Buffer.from(text, 'base64url');
  if (cursor.length >= ID_BYTES + SEAL_BYTES) {
    const id = cursor.readBigInt64BE();
    const value = readValue(list, cursor.subarray(ID_BYTES, -SEAL_BYTES));
    const place = value === undefined ? { id } : { id, value };
    // Ids start at 1.
    if (id >= FIRST_ID && isOfKind(list, value) && encodeCursor(list, place) === text) return place;
  }
  throw new InvalidCursor();
}

function valueBytes(value: string | bigint): Buffer {
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
  // PostgreSQL does not allow NUL in text.
  if (sortValue === 'text') return !(value as string).includes('\0');
  return (sortValue === undefined) === (value === undefined);
}

/** Only filters that were sent are sealed, by name, so a new optional filter leaves the cursors of callers valid. */
function seal(list: ListAddress, id: bigint, value: Place['value']): Buffer {
  const filters: string[] = [];
  const values = list.filters as Record<string, unknown>;
  for (const name in values) if (values[name] !== undefined) filters.push(filterText(name, values[name]));
  if (filters.length > 1) filters.sort();
  const place = value === undefined ? `#${id}` : `#${id}#${value}`;
  return hash('sha256', `${list.path}?${filters.join('&')}${place}`, 'buffer');
}
