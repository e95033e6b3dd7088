export { type Scope, Scopes } from '../scope.js';
export { KeyChanges } from './key-changes.js';
export { CLOCKS_DIFFER_MS, type KeyActor, type IssuedKey, type KeyChange, KeyIssuer } from './key-issuer.js';
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
  type NewKey,
  type StateOf,
} from './managed-key.js';
export { ManagedKeyStore, writesOf } from './managed-key.store.js';
