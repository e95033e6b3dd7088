import { Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Idempotency } from './idempotency.js';

const CLEANING_INTERVAL_MS = 10 * 60 * 1_000;

@Module({ providers: [Idempotency], exports: [Idempotency] })
export class IdempotencyModule implements OnModuleInit, OnModuleDestroy {
  private cleaning: NodeJS.Timeout;

  constructor(private readonly idempotency: Idempotency) {}

  onModuleInit(): void {
    // A cleaning that fails leaves rows that the next one finds.
    const clean = () => void this.idempotency.forgetExpired().catch(() => undefined);
    this.cleaning = setInterval(clean, CLEANING_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.cleaning);
  }
}
