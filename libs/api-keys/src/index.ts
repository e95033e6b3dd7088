export { generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key.js';
export { InvalidApiKey, MissingApiKey, UncheckedApiKey } from './api-key.errors.js';
export { ApiKeyAuthenticator } from './authentication/api-key.authenticator.js';
export { ApiKeyStore, type StoredApiKey } from './api-key.store.js';
export { ApiKeysModule } from './api-keys.module.js';
export type { ApiKeysOptions } from './api-keys.options.js';
export { CallerGuard, Public } from './authentication/caller.guard.js';
export { type Authentication, Caller, callerOf, isLookUpFailed } from './caller.js';
export { KeyRequiredGuard } from './authentication/key-required.guard.js';
