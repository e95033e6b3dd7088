import { ApiKeyRecord } from './api-key.record.js';
import { CreateApiKeys1795000050000 } from './create-api-keys.js';

/** For the options of a `DataSource`: add your own entities and migrations to these. */
export const apiKeyTables = {
  entities: [ApiKeyRecord],
  migrations: [CreateApiKeys1795000050000],
  migrationsRun: true,
};
