import { createHash } from 'node:crypto';
import { parse } from 'lossless-json';
import { failure, Refusal } from './response.js';

const STATUSES: readonly unknown[] = ['available', 'pending', 'sold'];
const INT64_TEXT = /^-?(0|[1-9]\d{0,18})$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

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
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name !== 'limit' && name !== 'status' && name !== 'cursor')
      throw invalid(`"${name}" is not a parameter here`);
    if (given.has(name)) throw invalid(`${name} must be given once`);
    given.set(name, value);
  }
  const limit = /^\d+$/.test(given.get('limit') ?? '20') ? Number(given.get('limit') ?? 20) : NaN;
  const status = given.get('status') ?? null;
  const cursor = given.get('cursor');
  if (!(limit >= 1 && limit <= 100)) throw invalid('limit must be a whole number from 1 to 100');
  if (status !== null && !STATUSES.includes(status))
    throw invalid(`status must be one of ${STATUSES.join(', ')}`);
  const afterId = cursor === undefined ? 0n : decodeCursor(status, cursor);
  return { status, limit, afterId };
}

/** Eight bytes of the id after which the page starts, and eight of a seal over it and the list. */
export function encodeCursor(status: string | null, afterId: bigint): string {
  const cursor = Buffer.allocUnsafe(16);
  cursor.writeBigInt64BE(afterId);
  createHash('sha256')
    .update(`/v1/pets?status=${status ?? ''}#${afterId}`)
    .digest()
    .copy(cursor, 8, 0, 8);
  return cursor.toString('base64url');
}

function decodeCursor(status: string | null, text: string): bigint {
  const cursor = Buffer.from(text, 'base64url');
  const afterId = cursor.length === 16 ? cursor.readBigInt64BE() : null;
  if (afterId !== null && encodeCursor(status, afterId) === text) return afterId;
  throw new Refusal(failure(400, 'invalid_cursor', 'cursor must be taken unchanged from the Link header.'));
}

/** An id in a path; null for text that can name nothing. */
export function pathId(text: string): bigint | null {
  const id = INT64_TEXT.test(text) ? BigInt(text) : null;
  return isInt64(id) ? id : null;
}

/** The members of a JSON object, with every whole number as a bigint. */
function jsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    const parseNumber = (number: string) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number));
    value = parse(text, null, { parseNumber });
  } catch (error) {
    throw new Refusal(
      failure(400, 'invalid_json', `The body must be valid JSON: ${(error as Error).message}.`),
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw refused(['the body must be a JSON object']);
}

export function newAnimal(body: string): NewAnimal {
  const { name, categoryId, status = 'available', ...unknown } = jsonObject(body);
  const problems = unknownFields(unknown);
  if (!isName(name)) problems.push('name must be a string of 1 to 255 characters');
  if (!isInt64(categoryId)) problems.push('categoryId must be a whole number of 64 bits');
  if (!STATUSES.includes(status)) problems.push('status must be one of the three');
  if (problems.length > 0) throw refused(problems);
  return { name: (name as string).trim(), categoryId: categoryId as bigint, status: status as string };
}

export function newOrder(body: string): { petId: bigint } {
  const { petId, ...unknown } = jsonObject(body);
  const problems = unknownFields(unknown);
  if (!isInt64(petId)) problems.push('petId must be a whole number of 64 bits');
  if (problems.length > 0) throw refused(problems);
  return { petId: petId as bigint };
}

function isName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  const trimmed = name.trim();
  const fits = trimmed.length <= 255 || [...trimmed].length <= 255;
  return trimmed !== '' && fits && !CONTROL_CHARACTER.test(trimmed) && trimmed.isWellFormed();
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

function unknownFields(unknown: object): string[] {
  return Object.keys(unknown).map((field) => `"${field}" is not a field here`);
}

function invalid(problem: string): Refusal {
  return new Refusal(failure(400, 'invalid_parameter', `${problem}.`));
}

function refused(problems: string[]): Refusal {
  return new Refusal(failure(400, 'validation_failed', `${problems.join('; ')}.`));
}
