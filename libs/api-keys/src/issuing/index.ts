export { defineScope, type Scope, Scopes } from '../scope.js';
export { KeyChanges } from './key-changes.js';
export {
  type KeyActor,
  type ChangeOptions,
  type IssuedKey,
  type KeyChange,
  KeyIssuer,
  type KeyIssuerOptions,
  newKeySecret,
  type RevokedKey,
} from './key-issuer.js';
export {
  ApiKeyNotFound,
  ExceedsOwnKey,
  InactiveApiKey,
  InvalidNewKey,
  OwnKeyNeedsGrace,
} from './managed-key.errors.js';
export {
  issueKey,
  keyLabelProblem,
  type KeySecret,
  ManagedKey,
  type ManagedKeyState,
  type NewKey,
  restoreKey,
  storedKeyOf,
} from './managed-key.js';
export { type FoundKeys, ManagedKeyStore, writesOf } from './managed-key.store.js';
export { MemoryKeyStore } from './memory-key.store.js';
