import { databases } from '../../platform/database/testing/temporary-database.js';
import { plans } from '../testing/api-key.builder.js';
import { apiKeyRepositoryContract } from '../testing/api-key.repository.contract.js';
import { accessTables } from './access.tables.js';
import { TypeOrmApiKeyRepository } from './typeorm-api-key.repository.js';

describe.each(databases)('TypeOrmApiKeyRepository on %s', (_, open) => {
  apiKeyRepositoryContract(async () => {
    const { database, remove } = await open(accessTables);
    return { keys: new TypeOrmApiKeyRepository(database, plans), unitOfWork: database, close: remove };
  });
});
