import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ApiKeyStore } from './api-key.store.js';

export interface ApiKeysOptions {
  /** What the keys of this service start with, e.g. `acme_live_`. Keys of any other prefix are invalid. */
  prefix: string;
  /** Where keys are looked up. */
  store: ApiKeyStore;
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** The realm named in `WWW-Authenticate` (RFC 9110 section 11.5). */
  realm: string;
  /**
   * For how many milliseconds kept keys are trusted after `ApiKeyAuthenticator.apply` last confirmed them: the
   * longest time a revoked key can go on working. 5,000 unless told.
   */
  maxStalenessMs?: number;
  /**
   * How many keys are kept in memory. 1,000,000 unless told, which is some 300 MB when every one of a million keys
   * calls; a key that was pushed out costs one look-up when it calls again.
   */
  maxCachedKeys?: number;
  /** For how many milliseconds an unknown key is not looked up again. 1,000 unless told. */
  unknownForMs?: number;
  /**
   * Requests whose key, when it is not known yet, may cost the store little: those of callers who have used up what they
   * may guess. Together they cost a few statements a second (`ApiKeyStore.findByHashes`), for which each waits a quarter
   * of a second or two; those too many are not looked up at all. Asked only about keys that have to be looked up.
   */
  looksUpSparingly?: (request: IncomingMessage) => boolean;
  /** Requests that need no key though their route does, e.g. CORS preflights. A key they carry is not looked up. */
  isExempt?: (request: IncomingMessage) => boolean;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: API_KEYS_OPTIONS } =
  new ConfigurableModuleBuilder<ApiKeysOptions>({ moduleName: 'ApiKeys' })
    .setClassMethodName('forRoot')
    .build();
