import { Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { ConfigurableModuleClass } from './idempotency.options.js';

/**
 * Stores the first responses of `@Idempotent()` operations, in every module.
 *
 * @example
 * ```ts
 * IdempotencyModule.forRoot({
 *   store: new TypeOrmIdempotencyStore(dataSource),
 *   callerOf: (request) => callerOf(request)?.keyId ?? null,
 * })
 * ```
 */
@Module({ providers: [Idempotency], exports: [Idempotency] })
export class IdempotencyModule extends ConfigurableModuleClass {}
