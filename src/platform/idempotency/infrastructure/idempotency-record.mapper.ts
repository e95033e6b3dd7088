import type { FirstResponse, IdempotencyKey } from '../idempotency.repository.js';
import type { IdempotencyRecord } from './idempotency.record.js';

type Stored = Pick<IdempotencyRecord, 'fingerprint' | 'status' | 'headers' | 'body'>;

export function toFirstResponse({ fingerprint, status, headers, body }: Stored): FirstResponse {
  return { fingerprint, status, headers: JSON.parse(headers) as FirstResponse['headers'], body };
}

export function toIdempotencyRecord(
  { apiKeyId, value }: IdempotencyKey,
  { fingerprint, status, headers, body }: FirstResponse,
  atMs: number,
): IdempotencyRecord {
  return {
    apiKeyId,
    idempotencyKey: value,
    fingerprint,
    status,
    headers: JSON.stringify(headers),
    body,
    createdAt: BigInt(atMs),
  };
}
