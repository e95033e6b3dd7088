import { Inject, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { ApiKeyAuthenticator } from './authentication/api-key.authenticator.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions, ConfigurableModuleClass } from './api-keys.options.js';
import { CallerSignals } from './authentication/caller-signals.js';
import { CallerGuard } from './authentication/caller.guard.js';
import { KeyRequiredGuard } from './authentication/key-required.guard.js';
import { requiredScopes } from './authentication/required-scopes.js';
import { StoredKeyChanges } from './authentication/stored-key-changes.js';
import { KeyIssuer } from './issuing/key-issuer.js';
import type { ManagedKeyStore } from './issuing/managed-key.store.js';
import { Scopes } from './scope.js';

/**
 * API keys for a Nest application. Binds no guard: the application does, in the order it wants. With a
 * `ManagedKeyStore` it also has the `KeyIssuer` to inject, and reads every second which keys were changed.
 */
@Module({
  providers: [
    ApiKeyAuthenticator,
    CallerGuard,
    CallerSignals,
    KeyRequiredGuard,
    StoredKeyChanges,
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
export class ApiKeysModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    private readonly scopes: Scopes,
  ) {
    super();
  }

  /** @throws Error for a route with a scope that nobody has defined, as no key can have it */
  onModuleInit(): void {
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    for (const { metatype } of controllers) {
      const controller = metatype as Type;
      const prototype = controller.prototype as Record<string, Parameters<typeof requiredScopes>[1]>;
      for (const name of new MetadataScanner().getAllMethodNames(prototype))
        for (const scope of requiredScopes(controller, prototype[name]!) ?? []) {
          const problem = this.scopes.problemOf(scope);
          if (problem)
            throw new Error(
              `${controller.name}.${name}: ${problem} Add defineScope('${scope}') to the scopes of ApiKeysModule.`,
            );
        }
    }
  }
}
