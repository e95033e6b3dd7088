import { PetNotFound } from '../domain/pet.errors.js';
import { aPet } from '../testing/pet.builder.js';
import { petStorage } from '../testing/pet-storage.js';
import { GetPet } from './get-pet.use-case.js';

describe('GetPet', () => {
  const storage = petStorage();
  let getPet: GetPet;

  beforeEach(() => {
    getPet = new GetPet(storage.pets);
  });

  it('finds the animal', async () => {
    await storage.put(aPet(), aPet({ name: 'Mia', categoryId: 3n, status: 'sold' }));
    expect(await getPet.execute(2n)).toEqual({ id: 2n, name: 'Mia', categoryId: 3n, status: 'sold' });
  });

  it('refuses an id that no animal has', async () => {
    await expect(getPet.execute(1n)).rejects.toThrow(PetNotFound);
  });
});
