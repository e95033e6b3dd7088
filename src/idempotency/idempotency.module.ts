import { Module } from '@nestjs/common';
import { ExpiredAnswers } from './expired-answers.js';
import { Idempotency } from './idempotency.js';

@Module({ providers: [Idempotency, ExpiredAnswers], exports: [Idempotency, ExpiredAnswers] })
export class IdempotencyModule {}
