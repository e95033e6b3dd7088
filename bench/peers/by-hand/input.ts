import { createHash } from 'node:crypto';
import { parse } from 'lossless-json';
import { type Answer, failure } from './answer.js';
import type { NewAnimal, Once } from './animal-store.js';

const STATUSES = ['available', 'pending', 'sold'];
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INT64_TEXT = /^-?(0|[1-9]\d{0,18})$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const VISIBLE = /^[\x21\x23-\x7e]{1,255}$/;

export interface ListQuery {
  readonly status: string | null;
  readonly limit: number;
  readonly afterId: bigint;
}

/** What a query string asks for, or the refusal. */
export function listQuery(text: string): ListQuery | Answer {
  let limit = 20;
  let status: string | null = null;
  let cursor: string | null = null;
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name !== 'limit' && name !== 'status' && name !== 'cursor') {
      return failure(
        400,
        'invalid_parameter',
        `"${name}" is not a parameter here (known: limit, status, cursor).`,
      );
    }
    if (seen.has(name)) return failure(400, 'invalid_parameter', `${name} must be given once.`);
    seen.add(name);
    if (name === 'limit') limit = /^\d+$/.test(value) ? Number(value) : NaN;
    else if (name === 'status') status = value;
    else cursor = value;
  }
  if (!(limit >= 1 && limit <= 100)) {
    return failure(400, 'invalid_parameter', 'limit must be a whole number from 1 to 100.');
  }
  if (status !== null && !STATUSES.includes(status)) {
    return failure(400, 'invalid_parameter', `status must be one of ${STATUSES.join(', ')}.`);
  }
  const afterId = cursor === null ? 0n : decodeCursor(status, cursor);
  return afterId === null
    ? failure(
        400,
        'invalid_cursor',
        'cursor must be taken unchanged from the Link header of the page before, with the same filters.',
      )
    : { status, limit, afterId };
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

function decodeCursor(status: string | null, text: string): bigint | null {
  const cursor = Buffer.from(text, 'base64url');
  if (cursor.length !== 16) return null;
  const afterId = cursor.readBigInt64BE();
  return encodeCursor(status, afterId) === text ? afterId : null;
}

/** An id in a path; null for text that can name nothing. */
export function pathId(text: string): bigint | null {
  if (!INT64_TEXT.test(text)) return null;
  const id = BigInt(text);
  return isInt64(id) ? id : null;
}

/** A JSON body with every whole number as a bigint, or the refusal. */
export function jsonBody(text: string): unknown {
  try {
    return parse(text, null, {
      parseNumber: (number) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number)),
    });
  } catch (error) {
    return failure(400, 'invalid_json', `The body must be valid JSON: ${(error as Error).message}.`);
  }
}

export function newAnimal(body: unknown): NewAnimal | Answer {
  const problems: string[] = [];
  const { name, categoryId, status, ...unknown } = fields(body, problems);
  if (problems.length === 0) {
    const nameProblem = problemOfName(name);
    if (nameProblem) problems.push(`name ${nameProblem}`);
    if (!isInt64(categoryId)) problems.push(notInt64('categoryId', categoryId));
    if (status !== undefined && !STATUSES.includes(status as string)) {
      problems.push(`status must be one of ${STATUSES.join(', ')}`);
    }
    problems.push(...unknownFields(unknown, 'name, categoryId, status'));
  }
  if (problems.length > 0) return invalid(problems);
  return {
    name: (name as string).trim(),
    categoryId: categoryId as bigint,
    status: (status as string | undefined) ?? 'available',
  };
}

export function newOrder(body: unknown): { petId: bigint } | Answer {
  const problems: string[] = [];
  const { petId, ...unknown } = fields(body, problems);
  if (problems.length === 0) {
    if (!isInt64(petId)) problems.push(notInt64('petId', petId));
    problems.push(...unknownFields(unknown, 'petId'));
  }
  return problems.length > 0 ? invalid(problems) : { petId: petId as bigint };
}

/** What an `Idempotency-Key` makes of a request; null without one. */
export function onceFor(
  header: string | string[] | undefined,
  apiKeyId: string,
  operation: string,
  body: string,
): Once | Answer | null {
  if (header === undefined) return null;
  const text = String(header);
  const key = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (!VISIBLE.test(key)) {
    return failure(400, 'invalid_parameter', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return {
    apiKeyId,
    key,
    fingerprint: createHash('sha256').update(`${operation} ${body}`).digest('base64url'),
  };
}

export function isAnswer(value: object): value is Answer {
  return 'body' in value;
}

function fields(body: unknown, problems: string[]): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  problems.push('the body must be a JSON object');
  return {};
}

function problemOfName(name: unknown): string | null {
  if (name === undefined) return 'is required';
  if (typeof name !== 'string') return 'must be a string';
  const trimmed = name.trim();
  if (trimmed === '') return 'must not be empty or blank';
  if (trimmed.length > 255 && [...trimmed].length > 255) return 'must have at most 255 characters';
  if (CONTROL_CHARACTER.test(trimmed)) return 'must not contain control characters';
  return trimmed.isWellFormed() ? null : 'must not contain lone surrogates';
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

function notInt64(field: string, value: unknown): string {
  if (value === undefined) return `${field} is required`;
  if (typeof value === 'string') return `${field} must be a JSON number, without quotes`;
  return `${field} must be a whole number from ${INT64_MIN} to ${INT64_MAX}`;
}

function unknownFields(unknown: object, known: string): string[] {
  return Object.keys(unknown).map((field) => `"${field}" is not a field here (known: ${known})`);
}

function invalid(problems: string[]): Answer {
  return failure(400, 'validation_failed', `${problems.join('; ')}.`);
}
