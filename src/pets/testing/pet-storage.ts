import { temporarySqlite } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { NewPet } from '../domain/pet.js';
import type { PetRepository } from '../domain/pet.repository.js';
import { petsTables } from '../infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../infrastructure/typeorm-pet.repository.js';

export interface PetStorage {
  readonly pets: PetRepository;
  readonly unitOfWork: UnitOfWork;
  /** Adds the animals in the given sequence. The ids start at 1. */
  put(...pets: NewPet[]): Promise<void>;
  close(): Promise<void>;
}

/** A repository for the specs of the use cases. */
export async function openPetStorage(): Promise<PetStorage> {
  const { database, remove } = await temporarySqlite(petsTables);
  const pets = new TypeOrmPetRepository(database);
  return {
    pets,
    unitOfWork: database,
    put: async (...given) => {
      for (const pet of given) await pets.add(pet);
    },
    close: remove,
  };
}
