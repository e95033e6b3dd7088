import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Plans } from '../domain/plan.js';
import { TypeOrmDeprecatedCallRepository } from './deprecated-calls/typeorm-deprecated-call.repository.js';
import { TypeOrmApiKeyRepository } from './keys/typeorm-api-key.repository.js';
import { TypeOrmLiftRepository } from './limits/typeorm-lift.repository.js';

/** Repositories that do not queue after requests: if changes were late, a server would look up every key again. */
@Injectable()
export class BackgroundStorage {
  readonly keys: TypeOrmApiKeyRepository;
  readonly lifts: TypeOrmLiftRepository;
  readonly deprecatedCalls: TypeOrmDeprecatedCallRepository;

  constructor({ background }: Database, plans: Plans) {
    this.keys = new TypeOrmApiKeyRepository(background, plans);
    this.lifts = new TypeOrmLiftRepository(background);
    this.deprecatedCalls = new TypeOrmDeprecatedCallRepository(background);
  }
}
