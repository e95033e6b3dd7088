export { generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key.js';
export { ApiKeyAuthenticator } from './api-key.authenticator.js';
export { ApiKeyStore, type StoredApiKey } from './api-key.store.js';
export { ApiKeysModule } from './api-keys.module.js';
export type { ApiKeysOptions } from './api-keys.options.js';
export { CallerGuard } from './caller.guard.js';
export { type Authentication, Caller, callerOf, isCallerUndecided, presumedCallerOf } from './caller.js';
export { KeyRequiredGuard } from './key-required.guard.js';
export { Public } from './public.js';
