import { aPet } from '../testing/pet.builder.js';
import { petStorage } from '../testing/pet-storage.js';
import { ListPets } from './list-pets.use-case.js';

describe('ListPets', () => {
  const storage = petStorage();
  let listPets: ListPets;

  beforeEach(async () => {
    listPets = new ListPets(storage.pets);
    await storage.put(aPet({ status: 'sold' }), aPet(), aPet({ status: 'sold' }), aPet({ status: 'sold' }));
  });

  it('lists animals of any status, a page at a time', async () => {
    expect(await listPets.execute({ limit: 3, after: null })).toMatchObject({
      items: [{ id: 1n }, { id: 2n }, { id: 3n }],
      next: { id: 3n },
    });
    expect(await listPets.execute({ limit: 3, after: { id: 3n } })).toMatchObject({
      items: [{ id: 4n }],
      next: null,
    });
  });

  it('lists only the animals with the requested status', async () => {
    expect(await listPets.execute({ status: 'sold', limit: 2, after: { id: 1n } })).toMatchObject({
      items: [{ id: 3n }, { id: 4n }],
      next: null,
    });
  });
});
