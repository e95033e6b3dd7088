import { RecordedOutbox } from '@animal-store/kernel/testing';
import { PetNotFound } from '../domain/pet.errors.js';
import { aPet } from '../testing/pet.builder.js';
import { petStorage } from '../testing/pet-storage.js';
import { ChangePet } from './change-pet.js';
import { LockPet } from './lock-pet.use-case.js';
import { ReleasePet } from './release-pet.use-case.js';
import { ReservePet } from './reserve-pet.use-case.js';
import { SellPet } from './sell-pet.use-case.js';

describe.each([
  [ReservePet, 'available', 'pending'],
  [SellPet, 'pending', 'sold'],
  [ReleasePet, 'pending', 'available'],
] as const)('%p', (UseCase, from, to) => {
  const storage = petStorage();
  let useCase: InstanceType<typeof UseCase>;
  let outbox: RecordedOutbox;

  beforeEach(() => {
    outbox = new RecordedOutbox();
    useCase = new UseCase(new ChangePet(storage.pets, storage.unitOfWork, outbox));
  });

  it(`makes an animal that is ${from} ${to}`, async () => {
    await storage.put(aPet({ status: from }));
    const pet = await useCase.execute(1n);
    expect(pet).toMatchObject({ id: 1n, status: to });
    expect(await storage.pets.findById(1n)).toEqual(pet);
    expect(outbox.events).toEqual([{ name: 'animal.status_changed', pet }]);
  });

  it('refuses an id that no animal has', async () => {
    await expect(useCase.execute(1n)).rejects.toThrow(PetNotFound);
  });

  it('does not change the animal when the enclosing transaction fails', async () => {
    await storage.put(aPet({ status: from }));
    const failing = storage.unitOfWork.run(async (transaction) => {
      await useCase.execute(1n, transaction);
      throw new Error('the buyer ran away');
    });
    await expect(failing).rejects.toThrow('the buyer ran away');
    expect((await storage.pets.findById(1n))?.status).toBe(from);
  });
});

describe('LockPet', () => {
  const storage = petStorage();

  it('announces nothing, as the animal stays as it is', async () => {
    await storage.put(aPet());
    const outbox = new RecordedOutbox();
    const lockPet = new LockPet(new ChangePet(storage.pets, storage.unitOfWork, outbox));

    await storage.unitOfWork.run((transaction) => lockPet.execute(1n, transaction));
    expect(outbox.events).toEqual([]);
  });
});
