import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './authentication/api-key.authenticator.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions, ConfigurableModuleClass } from './api-keys.options.js';
import { CallerSignals } from './authentication/caller-signals.js';
import { CallerGuard } from './authentication/caller.guard.js';
import { KeyRequiredGuard } from './authentication/key-required.guard.js';
import { StoredKeyChanges } from './authentication/stored-key-changes.js';
import { RouteChecks } from './authentication/route-checks.js';
import { KeyIssuer } from './issuing/key-issuer.js';
import type { ManagedKeyStore } from './issuing/managed-key.store.js';
import { Scopes } from './scope.js';

/**
 * API keys for a Nest application. Binds no guard: the application does, in the order it wants. With a
 * `ManagedKeyStore` it also has the `KeyIssuer` to inject, and reads every second which keys were changed.
 *
 * @example
 * ```ts
 * ApiKeysModule.forRootAsync({
 *   imports: [KeyStorageModule],
 *   inject: [ApiKeyStore],
 *   useFactory: (store: ApiKeyStore) => ({ store, prefix: 'acme_live_', realm: 'acme' }),
 * })
 * ```
 */
@Module({
  providers: [
    ApiKeyAuthenticator,
    CallerGuard,
    CallerSignals,
    KeyRequiredGuard,
    StoredKeyChanges,
    RouteChecks,
    {
      provide: Scopes,
      inject: [API_KEYS_OPTIONS],
      useFactory: ({ scopes }: ApiKeysOptions) => new Scopes(scopes),
    },
    {
      provide: KeyIssuer,
      inject: [API_KEYS_OPTIONS],
      // The constructor throws when the store is no `ManagedKeyStore`.
      useFactory: ({ issuer, store, prefix, scopes, now }: ApiKeysOptions) =>
        issuer ?? new KeyIssuer({ store: store as ManagedKeyStore, prefix, scopes, now }),
    },
  ],
  // What the guards inject, too: `@UseGuards` creates them in the module of the controller.
  exports: [
    API_KEYS_OPTIONS,
    ApiKeyAuthenticator,
    CallerGuard,
    CallerSignals,
    KeyIssuer,
    KeyRequiredGuard,
    Scopes,
  ],
})
export class ApiKeysModule extends ConfigurableModuleClass {}
