import { RecordedOutbox } from '@animal-store/kernel/testing';
import { InvalidPet } from '../domain/pet.errors.js';
import { petStorage } from '../testing/pet-storage.js';
import { CreatePet } from './create-pet.use-case.js';

describe('CreatePet', () => {
  const storage = petStorage();
  let createPet: CreatePet;
  let outbox: RecordedOutbox;

  beforeEach(() => {
    createPet = new CreatePet(storage.pets, (outbox = new RecordedOutbox()));
  });

  it('stores the animal and returns it with its id', async () => {
    const pet = await createPet.execute({ name: ' Mia ', categoryId: 3n, status: 'pending' });
    expect(pet).toEqual({ id: 1n, name: 'Mia', categoryId: 3n, status: 'pending' });
    expect(await storage.pets.findOneBy({ id: 1n })).toEqual(pet);
    expect(outbox.events).toEqual([{ name: 'animal.added', pet }]);
  });

  it('refuses a blank name and stores nothing', async () => {
    await expect(createPet.execute({ name: ' ', categoryId: 3n })).rejects.toThrow(InvalidPet);
    expect((await storage.pets.list({}, { limit: 20, after: null })).items).toEqual([]);
  });
});
