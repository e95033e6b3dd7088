import { PetNotAvailable, PetNotFound } from '../domain/pet.errors.js';
import { aPet } from '../testing/pet.builder.js';
import { openPetStorage, type PetStorage } from '../testing/pet-storage.js';
import { SellPet } from './sell-pet.use-case.js';

describe('SellPet', () => {
  let storage: PetStorage;
  let sellPet: SellPet;

  beforeEach(async () => {
    storage = await openPetStorage();
    sellPet = new SellPet(storage.pets, storage.unitOfWork);
  });

  afterEach(() => storage.close());

  it('sells a reserved animal', async () => {
    await storage.put(aPet({ status: 'pending' }));
    const pet = await sellPet.execute(1n);
    expect(pet).toMatchObject({ id: 1n, status: 'sold' });
    expect(await storage.pets.findById(1n)).toEqual(pet);
  });

  it('refuses an id that no animal has', async () => {
    await expect(sellPet.execute(1n)).rejects.toThrow(PetNotFound);
  });

  it.each(['available', 'sold'] as const)('refuses an animal that is %s', async (status) => {
    await storage.put(aPet({ status }));
    await expect(sellPet.execute(1n)).rejects.toThrow(PetNotAvailable);
    expect((await storage.pets.findById(1n))?.status).toBe(status);
  });

  it('does not change the animal when the enclosing transaction fails', async () => {
    await storage.put(aPet({ status: 'pending' }));
    const failing = storage.unitOfWork.run(async (transaction) => {
      await sellPet.execute(1n, transaction);
      throw new Error('the buyer ran away');
    });
    await expect(failing).rejects.toThrow('the buyer ran away');
    expect((await storage.pets.findById(1n))?.status).toBe('pending');
  });
});
