import { ApiKeyRecord } from './api-key.record.js';
import { CreateApiKeys1795000003000 } from './migrations/1795000003000-create-api-keys.js';

/** What this context keeps in the database. */
export const accessSchema = { records: [ApiKeyRecord], migrations: [CreateApiKeys1795000003000] };
