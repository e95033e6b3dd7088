import { databases } from '@animal-store/database/testing';
import { petRepositoryContract } from '../testing/pet.repository.contract.js';
import { petsTables } from './pets.tables.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';

describe.each(databases)('TypeOrmPetRepository on %s', (_, open) => {
  petRepositoryContract(async () => {
    const { database, remove } = await open(petsTables);
    return { pets: new TypeOrmPetRepository(database), unitOfWork: database, close: remove };
  });
});
