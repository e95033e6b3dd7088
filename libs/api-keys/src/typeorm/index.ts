export { ApiKeyColumns, columnsOf, scopesIn } from './api-key.record.js';
export { apiKeyTables, createApiKeys } from './create-api-keys.js';
export { TypeOrmKeyStore } from './typeorm-key.store.js';
