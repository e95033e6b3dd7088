import { onEmptySqlite } from '@animal-store/database/testing';
import type { NewPet } from '../domain/pet.js';
import { petsTables } from '../infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../infrastructure/typeorm-pet.repository.js';

/** A repository for the specs of the use cases, empty when each test begins. `put` adds animals in order, from id 1. */
export function petStorage() {
  return onEmptySqlite([petsTables], (database) => {
    const pets = new TypeOrmPetRepository(database);
    const put = async (...newPets: NewPet[]) => {
      for (const pet of newPets) await pets.add(pet);
    };
    return { pets, unitOfWork: database, put };
  });
}
