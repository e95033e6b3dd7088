import { ApiKeyRecord } from './api-key.record.js';
import { createApiKeys, CreateApiKeys1795000050000 } from './create-api-keys.js';

export { ApiKeyColumns, columnsOf, scopesIn } from './api-key.record.js';
export { TypeOrmKeyStore } from './typeorm-key.store.js';
export { ApiKeyRecord, createApiKeys, CreateApiKeys1795000050000 };

/** For the options of a `DataSource`: add your own entities and migrations to these. */
export const apiKeyTables = {
  entities: [ApiKeyRecord],
  migrations: [CreateApiKeys1795000050000],
  migrationsRun: true,
};
