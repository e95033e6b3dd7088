import { PetNotAvailable, PetNotFound } from '../domain/pet.errors.js';
import { aPet } from '../testing/pet.builder.js';
import { openPetStorage, type PetStorage } from '../testing/pet-storage.js';
import { ReservePet } from './reserve-pet.use-case.js';

describe('ReservePet', () => {
  let storage: PetStorage;
  let reservePet: ReservePet;

  beforeEach(async () => {
    storage = await openPetStorage();
    reservePet = new ReservePet(storage.pets, storage.unitOfWork);
  });

  afterEach(() => storage.close());

  it('reserves an available animal', async () => {
    await storage.put(aPet({ status: 'available' }));
    const pet = await reservePet.execute(1n);
    expect(pet).toMatchObject({ id: 1n, status: 'pending' });
    expect(await storage.pets.findById(1n)).toEqual(pet);
  });

  it('refuses an id that no animal has', async () => {
    await expect(reservePet.execute(1n)).rejects.toThrow(PetNotFound);
  });

  it.each(['pending', 'sold'] as const)('refuses an animal that is %s', async (status) => {
    await storage.put(aPet({ status }));
    await expect(reservePet.execute(1n)).rejects.toThrow(PetNotAvailable);
    expect((await storage.pets.findById(1n))?.status).toBe(status);
  });

  it('does not change the animal when the enclosing transaction fails', async () => {
    await storage.put(aPet({ status: 'available' }));
    const failing = storage.unitOfWork.run(async (transaction) => {
      await reservePet.execute(1n, transaction);
      throw new Error('the buyer ran away');
    });
    await expect(failing).rejects.toThrow('the buyer ran away');
    expect((await storage.pets.findById(1n))?.status).toBe('available');
  });
});
