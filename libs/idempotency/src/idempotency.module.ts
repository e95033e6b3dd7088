import { Global, Module } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { Cleaner, Database } from '@animal-store/database';
import { Idempotency } from './idempotency.js';
import { expiredResponses } from './infrastructure/expired-responses.js';
import { IdempotencyRepository } from './infrastructure/idempotency.repository.js';

/** Stores the first responses of `@Idempotent()` operations in every context. */
@Global()
@Module({
  providers: [
    Idempotency,
    IdempotencyRepository,
    {
      provide: Cleaner,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new Cleaner(database, expiredResponses(database, clock), clock),
    },
  ],
  exports: [Idempotency],
})
export class IdempotencyModule {}
