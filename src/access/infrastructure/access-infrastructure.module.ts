import { Module } from '@nestjs/common';
import { ApiKeyStore } from '#libs/api-keys';
import { Settings } from '../../config/settings.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { KeyGenerator } from '../domain/key-generator.js';
import { Plans } from '../domain/plan.js';
import { UsageReader } from '../domain/usage.reader.js';
import { JournalUsageReader } from './journal-usage.reader.js';
import { RandomKeyGenerator } from './random-key.generator.js';
import { RepositoryApiKeyStore } from './repository-api-key.store.js';
import { SqlApiKeyRepository } from './sql-api-key.repository.js';

@Module({
  providers: [
    { provide: ApiKeyRepository, useClass: SqlApiKeyRepository },
    { provide: ApiKeyStore, useClass: RepositoryApiKeyStore },
    { provide: KeyGenerator, useClass: RandomKeyGenerator },
    { provide: Plans, inject: [Settings], useFactory: ({ rateLimits }: Settings) => new Plans(rateLimits) },
    { provide: UsageReader, useClass: JournalUsageReader },
  ],
  exports: [ApiKeyRepository, ApiKeyStore, KeyGenerator, Plans, UsageReader],
})
export class AccessInfrastructureModule {}
