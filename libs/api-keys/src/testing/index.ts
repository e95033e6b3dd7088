export { MemoryKeyStore } from './memory-key.store.js';
export { managedKeyStoreChecks, type StoreCheck } from './managed-key-store.contract.js';
