import { onEmptySqlite } from '@animal-store/database/testing';
import type { ApiKey } from '../domain/api-key.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { TypeOrmLiftRepository } from '../infrastructure/limits/typeorm-lift.repository.js';
import { TypeOrmKeyHistory } from '../infrastructure/keys/typeorm-key-history.js';
import { TypeOrmApiKeyRepository } from '../infrastructure/keys/typeorm-api-key.repository.js';
import { plans } from './api-key.builder.js';

/** Repositories for the specs of the use cases, empty when each test begins. */
export function keyStorage() {
  return onEmptySqlite([accessTables], (database) => {
    const keys = new TypeOrmApiKeyRepository(database, plans);
    const put = (...added: ApiKey[]) => keys.change([], () => added);
    const [lifts, history] = [new TypeOrmLiftRepository(database), new TypeOrmKeyHistory(database)];
    return { keys, lifts, history, unitOfWork: database, put };
  });
}
