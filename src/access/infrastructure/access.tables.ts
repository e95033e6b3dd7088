import { ApiKeyRecord } from './api-key.record.js';
import { CreateApiKeys1795000003000 } from './migrations/1795000003000-create-api-keys.js';
import { CreateRateLimitUsage1795000005000 } from './migrations/1795000005000-create-rate-limit-usage.js';
import { IndexRateLimitUsage1795000007000 } from './migrations/1795000007000-index-rate-limit-usage.js';
import { IndexApiKeys1795000010000 } from './migrations/1795000010000-index-api-keys.js';
import { CounterRecord } from './counter.record.js';

/** The records of this context and the migrations that create their tables. */
export const accessTables = {
  records: [ApiKeyRecord, CounterRecord],
  migrations: [
    CreateApiKeys1795000003000,
    CreateRateLimitUsage1795000005000,
    IndexRateLimitUsage1795000007000,
    IndexApiKeys1795000010000,
  ],
};
