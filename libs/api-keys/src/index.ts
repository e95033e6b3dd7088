export { generateApiKey, hashApiKey, isWellFormedApiKey, keyRemover } from './api-key.js';
export { InsufficientScope, InvalidApiKey, MissingApiKey, UncheckedApiKey } from './api-key.errors.js';
export { ApiKeyAuthenticator } from './authentication/api-key.authenticator.js';
export { ApiKeyStore, type StoredApiKey } from './api-key.store.js';
export { ApiKeysModule } from './api-keys.module.js';
export type { ApiKeysOptions } from './api-keys.options.js';
export { CallerSignals } from './authentication/caller-signals.js';
export { CallerGuard, Public } from './authentication/caller.guard.js';
export { type Authentication, Caller, callerOf, isLookUpFailed } from './caller.js';
export { defineScope, type Scope, Scopes } from './scope.js';
export { requiredScopes, RequireScope } from './authentication/required-scopes.js';
export { KeyRequiredGuard } from './authentication/key-required.guard.js';
export {
  type KeyActor,
  type ChangeOptions,
  type FoundKeys,
  type IssuedKey,
  type KeyChange,
  KeyIssuer,
  type KeyIssuerOptions,
  type KeySecret,
  issueKey,
  restoreKey,
  ManagedKey,
  ManagedKeyStore,
  MemoryKeyStore,
  type NewKey,
  type RevokedKey,
} from './issuing/index.js';
