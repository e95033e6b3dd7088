import { managedKeyStoreChecks } from './managed-key-store.contract.js';
import { MemoryKeyStore } from './memory-key.store.js';

describe('MemoryKeyStore', () => {
  for (const { name, check } of managedKeyStoreChecks()) it(name, () => check(new MemoryKeyStore()));
});
