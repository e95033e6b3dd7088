import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { ExpiredResponses } from './infrastructure/expired-responses.js';
import { TypeOrmIdempotencyRepository } from './infrastructure/typeorm-idempotency.repository.js';

export { ExpiredResponses };

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
