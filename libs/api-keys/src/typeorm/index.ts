export { ApiKeyColumns, ApiKeyRecord, columnsOf, scopesIn } from './api-key.record.js';
export { CreateApiKeys1795000050000 } from './create-api-keys.js';
export { TypeOrmKeyStore } from './typeorm-key.store.js';
