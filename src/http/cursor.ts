import { hash } from 'node:crypto';
import { BadRequestException } from '@nestjs/common';

const ID_BYTES = 8;
const SEAL_BYTES = 8;

/** A list as clients name it when they ask for the next page. */
export interface ListAddress {
  /** The path of the list, `/v1/pets`. */
  path: string;
  /** The filters in force; undefined ones are left out. A cursor only fits the list with the same path and filters. */
  filters: Readonly<Record<string, string | undefined>>;
}

/**
 * An opaque mark of a place in a list: the id after which the page starts, and a seal over it and the list, so that
 * an altered cursor, or one of another list or filter, is noticed. It holds nothing secret.
 */
export function encodeCursor(list: ListAddress, afterId: bigint): string {
  const cursor = Buffer.allocUnsafe(ID_BYTES + SEAL_BYTES);
  cursor.writeBigInt64BE(afterId);
  seal(list, afterId).copy(cursor, ID_BYTES, 0, SEAL_BYTES);
  return cursor.toString('base64url');
}

/**
 * The id after which the page starts; null without a cursor, for the first page.
 * @throws BadRequestException `invalid_cursor` when the text is no cursor of this list.
 */
export function decodeCursor(list: ListAddress, text: string | undefined): bigint | null {
  if (text === undefined) return null;
  const cursor = Buffer.from(text, 'base64url');
  if (cursor.length === ID_BYTES + SEAL_BYTES) {
    const afterId = cursor.readBigInt64BE();
    if (encodeCursor(list, afterId) === text) return afterId;
  }
  throw new BadRequestException({
    code: 'invalid_cursor',
    message: 'cursor must be taken unchanged from the Link header of the page before, with the same filters.',
  });
}

function seal(list: ListAddress, afterId: bigint): Buffer {
  const filters = Object.entries(list.filters).map(([name, value]) => `${name}=${value ?? ''}`);
  return hash('sha256', `${list.path}?${filters.join('&')}#${afterId}`, 'buffer');
}
