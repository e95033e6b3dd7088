import { Module } from '@nestjs/common';
import { callerOf } from '@animal-store/api-keys';
import { Cleaner, Database } from '@animal-store/database';
import { IdempotencyModule as StoredResponses, type IdempotencyOptions } from '@animal-store/idempotency';
import { Clock, parseJson, toJson } from '@animal-store/kernel';
import { DatabaseIdempotencyStore } from './database-idempotency.store.js';
import { expiredResponses } from './expired-responses.js';

/** `@Idempotent()` with first responses in the database, for each API key. */
@Module({
  imports: [
    StoredResponses.forRootAsync({
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock): IdempotencyOptions => ({
        store: new DatabaseIdempotencyStore(database),
        callerOf: (request) => callerOf(request)?.keyId ?? null,
        // The names of operations are unique, and paths may get another prefix.
        addressOf: ({ params, originalUrl }, operation) =>
          Object.keys(params).length === 0 && !originalUrl.includes('?')
            ? operation
            : `${operation} ${originalUrl}`,
        json: { write: toJson, read: parseJson },
        now: () => clock.now(),
      }),
    }),
  ],
  providers: [
    {
      provide: Cleaner,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new Cleaner(database, expiredResponses(database, clock), clock),
    },
  ],
})
export class IdempotencyModule {}
