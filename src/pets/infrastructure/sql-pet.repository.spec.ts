import { databases } from '../../database/testing/temporary-database.js';
import { petRepositoryContract } from '../testing/pet.repository.contract.js';
import { petsSchema } from './pets.schema.js';
import { SqlPetRepository } from './sql-pet.repository.js';

describe.each(databases)('SqlPetRepository on %s', (_, open) => {
  petRepositoryContract(async () => {
    const { database, remove } = await open(petsSchema);
    return { pets: new SqlPetRepository(database), unitOfWork: database, close: remove };
  });
});
