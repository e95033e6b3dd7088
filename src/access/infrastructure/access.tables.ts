import { LiftRecord } from './limits/lift.record.js';
import { ApiKeyRecord } from './keys/api-key.record.js';
import { KeyChangeRecord } from './keys/key-change.record.js';
import { CreateApiKeys1795000003000 } from './migrations/keys/1795000003000-create-api-keys.js';
import { CreateRateLimitUsage1795000005000 } from './migrations/1795000005000-create-rate-limit-usage.js';
import { IndexRateLimitUsage1795000007000 } from './migrations/1795000007000-index-rate-limit-usage.js';
import { IndexApiKeys1795000010000 } from './migrations/keys/1795000010000-index-api-keys.js';
import { CreateAddressLifts1795000011000 } from './migrations/1795000011000-create-address-lifts.js';
import { CountRefusalsOfBans1795000012000 } from './migrations/1795000012000-count-refusals-of-bans.js';
import { CreateDeprecatedCalls1795000013000 } from './migrations/1795000013000-create-deprecated-calls.js';
import { ExtendApiKeys1795000023000 } from './migrations/keys/1795000023000-extend-api-keys.js';
import { IndexKeysOfAccounts1795000024000 } from './migrations/keys/1795000024000-index-keys-of-accounts.js';
import { NoteLastUses1795000040000 } from './migrations/keys/1795000040000-note-last-uses.js';
import { CreateKeyChanges1795000041000 } from './migrations/keys/1795000041000-create-key-changes.js';
import { NameMakersOfKeys1795000070000 } from './migrations/keys/1795000070000-name-makers-of-keys.js';
import { IndexKeysToCount1795000071000 } from './migrations/keys/1795000071000-index-keys-to-count.js';
import { CountDeprecatedCallsByAccount1795000073000 } from './migrations/1795000073000-count-deprecated-calls-by-account.js';
import { DeprecatedCallsRecord } from './deprecated-calls/deprecated-calls.record.js';
import { CounterRecord } from './limits/counter.record.js';

/** The records of this context and the migrations that create their tables. */
export const accessTables = {
  records: [ApiKeyRecord, KeyChangeRecord, CounterRecord, LiftRecord, DeprecatedCallsRecord],
  migrations: [
    CreateApiKeys1795000003000,
    CreateRateLimitUsage1795000005000,
    IndexRateLimitUsage1795000007000,
    IndexApiKeys1795000010000,
    CreateAddressLifts1795000011000,
    CountRefusalsOfBans1795000012000,
    CreateDeprecatedCalls1795000013000,
    ExtendApiKeys1795000023000,
    IndexKeysOfAccounts1795000024000,
    NoteLastUses1795000040000,
    CreateKeyChanges1795000041000,
    NameMakersOfKeys1795000070000,
    IndexKeysToCount1795000071000,
    CountDeprecatedCallsByAccount1795000073000,
  ],
};
