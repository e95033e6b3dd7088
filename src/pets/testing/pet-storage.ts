import { temporarySqlite } from '@animal-store/database/testing';
import type { NewPet } from '../domain/pet.js';
import { petsTables } from '../infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../infrastructure/typeorm-pet.repository.js';

export type PetStorage = Awaited<ReturnType<typeof openPetStorage>>;

/** A repository for the specs of the use cases. `put` adds the animals in the given sequence; the ids start at 1. */
export async function openPetStorage() {
  const { database, remove } = await temporarySqlite(petsTables);
  const pets = new TypeOrmPetRepository(database);
  const put = async (...given: NewPet[]) => {
    for (const pet of given) await pets.add(pet);
  };
  return { pets, unitOfWork: database, put, close: remove };
}
