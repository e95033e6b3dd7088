import { Module } from '@nestjs/common';
import { callerOf } from '@animal-store/api-keys';
import { Database } from '@animal-store/database';
import { IdempotencyModule as StoredResponses } from '@animal-store/idempotency';
import { Clock, parseJson, toJson } from '@animal-store/kernel';
import type { AnyRequest } from '@animal-store/kernel/http';
import { DatabaseIdempotencyStore, RemoveExpiredResponses } from './database-idempotency.store.js';

/** An API key without an account is its own. */
function accountOf(request: AnyRequest): string | null {
  const caller = callerOf<{ readonly account?: string }>(request);
  return caller && (caller.account ?? caller.keyId);
}

/** `@Idempotent()` with first responses in the database, for each account: a rotated key is replaced by another one. */
@Module({
  imports: [
    StoredResponses.forRootAsync({
      isGlobal: false,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) => ({
        store: new DatabaseIdempotencyStore(database, clock),
        callerOf: accountOf,
        apiKeyOf: (request) => callerOf(request)?.keyId ?? null,
        // The names of operations are unique, and paths may get another prefix.
        addressOf: ({ params, originalUrl }, operation) =>
          Object.keys(params).length === 0 && !originalUrl.includes('?')
            ? operation
            : `${operation} ${originalUrl}`,
        json: { write: toJson, read: parseJson },
      }),
    }),
  ],
  providers: [RemoveExpiredResponses],
  exports: [StoredResponses],
})
export class IdempotencyModule {}
