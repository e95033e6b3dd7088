export { managedKeyStoreChecks, type StoreCheck } from './managed-key-store.contract.js';
