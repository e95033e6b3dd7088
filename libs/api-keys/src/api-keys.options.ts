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
  maxKeptKeys?: number;
  /** Requests that need no key though their route does, e.g. CORS preflights. */
  isExempt?: (request: IncomingMessage) => boolean;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: API_KEYS_OPTIONS } =
  new ConfigurableModuleBuilder<ApiKeysOptions>({ moduleName: 'ApiKeys' })
    .setClassMethodName('forRoot')
    .build();
