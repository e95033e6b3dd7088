import { hash } from 'node:crypto';
import { parse } from 'lossless-json';
import { Refusal } from './response.js';

const STATUSES: readonly unknown[] = ['available', 'pending', 'sold'];
const INT64_TEXT = /^-?(0|[1-9]\d{0,18})$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const PARAMETER = 'invalid_parameter';
const INVALID = 'validation_failed';
const IDEMPOTENCY_KEY = /^("[\x21\x23-\x7e]{1,255}"|[\x21\x23-\x7e]{1,255})$/;

export interface NewAnimal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}

export interface ListQuery {
  readonly status: string | null;
  readonly limit: number;
  readonly afterId: bigint;
}

/** Whatever here reads input throws a Refusal of what is wrong. */
export function listQuery(text: string): ListQuery {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    check(['limit', 'status', 'cursor'].includes(name), PARAMETER, `"${name}" is not a parameter here`);
    check(!parameters.has(name), PARAMETER, `${name} must be given once`);
    parameters.set(name, value);
  }
  const { limit = '20', status = null, cursor } = Object.fromEntries(parameters);
  check(/^0*([1-9]\d?|100)$/.test(limit), PARAMETER, 'limit must be a whole number from 1 to 100');
  check(status === null || STATUSES.includes(status), PARAMETER, 'status must be one of the three');
  const afterId = cursor === undefined ? 0n : decodeCursor(status, cursor);
  return { status, limit: Number(limit), afterId };
}

/** Eight bytes of the id after which the page starts, and eight of a seal over it and the list. */
export function encodeCursor(status: string | null, afterId: bigint): string {
  const cursor = Buffer.allocUnsafe(16);
  cursor.writeBigInt64BE(afterId);
  hash('sha256', `/v1/pets?${status === null ? '' : `status=${status}`}#${afterId}`, 'buffer').copy(
    cursor,
    8,
    0,
    8,
  );
  return cursor.toString('base64url');
}

function decodeCursor(status: string | null, text: string): bigint {
  const cursor = Buffer.from(text, 'base64url');
  const afterId = cursor.length === 16 ? cursor.readBigInt64BE() : null;
  if (afterId !== null && encodeCursor(status, afterId) === text) return afterId;
  throw new Refusal(400, 'invalid_cursor', 'cursor must be taken unchanged from the Link header.');
}

/** An id in a path; null for text that can name nothing. */
export function pathId(text: string): bigint | null {
  const id = INT64_TEXT.test(text) ? BigInt(text) : null;
  return isInt64(id) ? id : null;
}

export function newAnimal(body: string): NewAnimal {
  const { name, categoryId, status = 'available' } = jsonObject(body, ['name', 'categoryId', 'status']);
  const trimmed = typeof name === 'string' ? name.trim() : '';
  const fits = trimmed !== '' && (trimmed.length <= 255 || [...trimmed].length <= 255);
  const isName = fits && !CONTROL_CHARACTER.test(trimmed) && trimmed.isWellFormed();
  check(isName, INVALID, 'name must be a string of 1 to 255 characters');
  check(isInt64(categoryId), INVALID, 'categoryId must be a whole number of 64 bits');
  check(STATUSES.includes(status), INVALID, 'status must be one of the three');
  return { name: trimmed, categoryId, status: status as string };
}

export function newOrder(body: string): { petId: bigint } {
  const { petId } = jsonObject(body, ['petId']);
  check(isInt64(petId), INVALID, 'petId must be a whole number of 64 bits');
  return { petId };
}

export function idempotencyKey(header: string | string[]): string {
  const text = String(header);
  check(IDEMPOTENCY_KEY.test(text), PARAMETER, 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  return text.replaceAll('"', '');
}

/** The members of a JSON object, with every whole number as a bigint. */
function jsonObject(text: string, fields: readonly string[]): Record<string, unknown> {
  let value: unknown;
  try {
    const parseNumber = (number: string) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number));
    value = parse(text, null, { parseNumber });
  } catch (error) {
    throw new Refusal(400, 'invalid_json', `The body must be valid JSON: ${(error as Error).message}.`);
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  check(isObject, INVALID, 'the body must be a JSON object');
  for (const field of Object.keys(value as object))
    check(fields.includes(field), INVALID, `"${field}" is not a field here`);
  return value as Record<string, unknown>;
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

function check(isRight: boolean, code: string, rule: string): asserts isRight {
  if (!isRight) throw new Refusal(400, code, `${rule}.`);
}
