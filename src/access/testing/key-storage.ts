import { temporarySqlite } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { AddressLiftRepository } from '../domain/ban.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { TypeOrmAddressLiftRepository } from '../infrastructure/limits/typeorm-address-lift.repository.js';
import { TypeOrmApiKeyRepository } from '../infrastructure/keys/typeorm-api-key.repository.js';
import { plans } from './api-key.builder.js';

export interface KeyStorage {
  readonly keys: ApiKeyRepository;
  readonly lifts: AddressLiftRepository;
  readonly unitOfWork: UnitOfWork;
  put(...keys: ApiKey[]): Promise<void>;
  close(): Promise<void>;
}

/** A repository for the specs of the use cases. */
export async function openKeyStorage(): Promise<KeyStorage> {
  const { database, remove } = await temporarySqlite(accessTables);
  const keys = new TypeOrmApiKeyRepository(database, plans);
  return {
    keys,
    lifts: new TypeOrmAddressLiftRepository(database),
    unitOfWork: database,
    put: async (...given) => {
      for (const key of given) await database.run((transaction) => keys.add(key, transaction));
    },
    close: remove,
  };
}
