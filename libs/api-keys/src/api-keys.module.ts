import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './authentication/api-key.authenticator.js';
import { API_KEYS_OPTIONS, ConfigurableModuleClass } from './api-keys.options.js';
import { CallerSignals } from './authentication/caller-signals.js';
import { CallerGuard } from './authentication/caller.guard.js';
import { KeyRequiredGuard } from './authentication/key-required.guard.js';

/**
 * API keys for a Nest application. Binds no guard: the application does, in the order it wants.
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
  providers: [ApiKeyAuthenticator, CallerGuard, CallerSignals, KeyRequiredGuard],
  // What the guards inject, too: `@UseGuards` creates them in the module of the controller.
  exports: [API_KEYS_OPTIONS, ApiKeyAuthenticator, CallerGuard, CallerSignals, KeyRequiredGuard],
})
export class ApiKeysModule extends ConfigurableModuleClass {}
