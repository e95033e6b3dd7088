import { RecordedOutbox } from '@animal-store/kernel/testing';
import { PetNotFound } from '../domain/pet.errors.js';
import { aPet } from '../testing/pet.builder.js';
import { petStorage } from '../testing/pet-storage.js';
import { ChangePet } from './change-pet.use-case.js';

describe.each([
  ['reserve', 'available', 'pending'],
  ['sell', 'pending', 'sold'],
  ['release', 'pending', 'available'],
] as const)('ChangePet by %s', (verb, from, to) => {
  const storage = petStorage();
  let changePet: ChangePet;
  let outbox: RecordedOutbox;

  beforeEach(() => {
    outbox = new RecordedOutbox();
    changePet = new ChangePet(storage.pets, storage.unitOfWork, outbox);
  });

  it(`makes an animal that is ${from} ${to}`, async () => {
    await storage.put(aPet({ status: from }));
    const pet = await changePet.execute(1n, verb);
    expect(pet).toMatchObject({ id: 1n, status: to });
    expect(await storage.pets.findOneBy({ id: 1n })).toEqual(pet);
    expect(outbox.events).toEqual([{ name: 'animal.status_changed', pet }]);
  });

  it('refuses an id that no animal has', async () => {
    await expect(changePet.execute(1n, verb)).rejects.toThrow(PetNotFound);
  });
});
