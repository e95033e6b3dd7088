import { Pet } from './pet.js';
import { PetNotAvailable } from './pet.errors.js';
import type { PetStatus } from './pet.rules.js';

function petThatIs(status: PetStatus): Pet {
  return Pet.restore({ id: 1n, name: 'Rex', categoryId: 7n, status });
}

describe('Pet', () => {
  it('is pending after it was reserved, with all other fields unchanged', () => {
    expect(petThatIs('available').reserve()).toEqual({
      id: 1n,
      name: 'Rex',
      categoryId: 7n,
      status: 'pending',
    });
  });

  it('has status sold after it was sold', () => {
    expect(petThatIs('pending').sell().status).toBe('sold');
  });

  it('is available again after it was released', () => {
    expect(petThatIs('pending').release().status).toBe('available');
  });

  it('is immutable', () => {
    const pet = petThatIs('available');
    pet.reserve();

    expect(pet.status).toBe('available');
  });

  it.each([
    ['reserve', 'pending', 'Animal 1 is pending and cannot be reserved.'],
    ['reserve', 'sold', 'Animal 1 is sold and cannot be reserved.'],
    ['sell', 'available', 'Animal 1 is available and cannot be sold.'],
    ['sell', 'sold', 'Animal 1 is sold and cannot be sold.'],
    ['release', 'available', 'Animal 1 is available and cannot be released.'],
    ['release', 'sold', 'Animal 1 is sold and cannot be released.'],
  ] as const)('refuses to %s an animal that is %s', (verb, status, message) => {
    const refused = () => petThatIs(status)[verb]();

    expect(refused).toThrow(PetNotAvailable);
    expect(refused).toThrow(message);
  });
});
