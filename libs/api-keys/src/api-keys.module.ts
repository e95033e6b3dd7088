import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ConfigurableModuleClass } from './api-keys.options.js';
import { CallerGuard } from './caller.guard.js';
import { KeyRequiredGuard } from './key-required.guard.js';
import { PublicRoutes } from './public.js';

/**
 * API keys for a Nest application. Binds no guard: the application does, in the order it wants.
 *
 * @example
 * ```ts
 * ApiKeysModule.forRootAsync({
 *   imports: [KeyStorageModule],
 *   inject: [ApiKeyStore],
 *   useFactory: (store: ApiKeyStore) => ({ store, prefix: 'acme_live_', realm: 'acme', now: Date.now }),
 * })
 * ```
 */
@Module({
  providers: [ApiKeyAuthenticator, PublicRoutes, CallerGuard, KeyRequiredGuard],
  exports: [ApiKeyAuthenticator, CallerGuard, KeyRequiredGuard],
})
export class ApiKeysModule extends ConfigurableModuleClass {}
