import { databases } from '../../database/testing/temporary-database.js';
import { plans } from '../testing/api-key.builder.js';
import { apiKeyRepositoryContract } from '../testing/api-key.repository.contract.js';
import { accessSchema } from './access.schema.js';
import { SqlApiKeyRepository } from './sql-api-key.repository.js';

describe.each(databases)('SqlApiKeyRepository on %s', (_, open) => {
  apiKeyRepositoryContract(async () => {
    const { database, remove } = await open(accessSchema);
    return { keys: new SqlApiKeyRepository(database, plans), unitOfWork: database, close: remove };
  });
});
