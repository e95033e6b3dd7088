import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ApiKeyStore } from './api-key.store.js';
import type { KeyIssuer } from './issuing/key-issuer.js';
import type { Scope } from './scope.js';

/**
 * Callbacks get the request as guards do: that of Express, or that of Fastify, which has its `headers`, `method`,
 * `socket` and `url` too.
 */
export interface ApiKeysOptions {
  /** The prefix of the service's keys, such as `acme_live_`. Keys with another prefix are invalid. */
  prefix: string;
  /** Where keys are looked up. */
  store: ApiKeyStore;
  /**
   * The scopes that there are. The start fails when a route needs another one, and no key is issued with one. Default:
   * any, none of them explicit.
   */
  scopes?: readonly Scope[];
  /** What the module provides as `KeyIssuer`. Default: one over `store`, if that is a `ManagedKeyStore`. */
  issuer?: KeyIssuer;
  /** The time in milliseconds since the Unix epoch. Default: `Date.now`. */
  now?: () => number;
  /** The realm named in `WWW-Authenticate` (RFC 9110 section 11.5). Default: `api`. */
  realm?: string;
  /**
   * How many milliseconds cached keys are trusted after `ApiKeyAuthenticator.apply` last confirmed them, which is the
   * longest time that a revoked key still works. Default: 5,000.
   */
  maxStalenessMs?: number;
  /** The maximum number of cached keys. Default: 1,000,000. A dropped key costs one look-up at its next request. */
  maxCachedKeys?: number;
  /**
   * Whether the module reads the changes of a `ManagedKeyStore` every second. Set it to false when you call
   * `ApiKeyAuthenticator.apply` yourself. Default: true.
   */
  pollsChanges?: boolean;
  /**
   * Called with the first request of a UTC day that has this valid key, so that you can store when it was last used.
   * Cached keys do not reach your store; this costs a comparison per request. It must neither wait nor throw: note the
   * id, and store it later with others. A key may be passed again.
   *
   * @param day counted from the Unix epoch
   * @returns whether it is stored. With false it is called again for the next request of the key.
   */
  onFirstUseOfDay?: (keyId: string, day: number) => boolean;
  /**
   * Requests whose unknown keys should cost the store little: those of callers that have used up their guesses.
   * Together they cost a few statements a second (`ApiKeyStore.findByHashes`), for which each waits up to half a
   * second. When there are too many, their keys are not looked up at all. Called only for keys that must be looked up.
   */
  throttleLookUps?(request: IncomingMessage): boolean;
  /**
   * Requests that need no key although their route requires one, such as CORS preflights. Their keys are not looked up.
   */
  isExempt?(request: IncomingMessage): boolean;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: API_KEYS_OPTIONS } =
  new ConfigurableModuleBuilder<ApiKeysOptions>({ moduleName: 'ApiKeys' })
    .setClassMethodName('forRoot')
    // Global, the guards can be used with `@UseGuards` in every module.
    .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
