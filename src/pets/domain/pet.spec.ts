import { Pet } from './pet.js';
import { PetNotAvailable } from './pet.errors.js';
import type { PetStatus } from './pet.rules.js';

function petThatIs(status: PetStatus): Pet {
  return Pet.restore({ id: 1n, name: 'Rex', categoryId: 7n, status });
}

describe('Pet', () => {
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
