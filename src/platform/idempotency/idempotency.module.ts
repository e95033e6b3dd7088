import { Global, Module } from '@nestjs/common';
import { ExpiredAnswers } from './expired-answers.js';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { TypeOrmIdempotencyRepository } from './infrastructure/typeorm-idempotency.repository.js';

/** Stores what the `@Idempotent()` operations of every context give again. */
@Global()
@Module({
  providers: [
    Idempotency,
    { provide: IdempotencyRepository, useClass: TypeOrmIdempotencyRepository },
    ExpiredAnswers,
  ],
  exports: [Idempotency, ExpiredAnswers],
})
export class IdempotencyModule {}
