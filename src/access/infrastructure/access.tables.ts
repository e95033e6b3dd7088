import { LiftRecord } from './limits/lift.record.js';
import { ApiKeyRecord } from './keys/api-key.record.js';
import { KeyChangeRecord } from './keys/key-change.record.js';
import { CreateApiKeys1795000003000 } from './migrations/1795000003000-create-api-keys.js';
import { CreateRateLimitUsage1795000005000 } from './migrations/1795000005000-create-rate-limit-usage.js';
import { ExtendAccess1795000081000 } from './migrations/1795000081000-extend-access.js';
import { DeprecatedCallsRecord } from './deprecated-calls/deprecated-calls.record.js';
import { CounterRecord } from './limits/counter.record.js';

export const accessTables = {
  records: [ApiKeyRecord, KeyChangeRecord, CounterRecord, LiftRecord, DeprecatedCallsRecord],
  migrations: [CreateApiKeys1795000003000, CreateRateLimitUsage1795000005000, ExtendAccess1795000081000],
};
