import { Global, Module } from '@nestjs/common';
import { ExpiredResponses } from './expired-responses.js';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { TypeOrmIdempotencyRepository } from './infrastructure/typeorm-idempotency.repository.js';

/** Stores the first responses of `@Idempotent()` operations in every context. */
@Global()
@Module({
  providers: [
    Idempotency,
    { provide: IdempotencyRepository, useClass: TypeOrmIdempotencyRepository },
    ExpiredResponses,
  ],
  exports: [Idempotency, ExpiredResponses],
})
export class IdempotencyModule {}
