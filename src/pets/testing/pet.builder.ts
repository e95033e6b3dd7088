import { NewPet } from '../domain/pet.js';
import type { PetStatus } from '../domain/pet.rules.js';

/** An animal to add. A test passes only the fields it is about. */
export function aPet({
  name = 'Rex',
  categoryId = 7n,
  status = 'available',
}: Partial<{ name: string; categoryId: bigint; status: PetStatus }> = {}): NewPet {
  return NewPet.offer(name, categoryId, status);
}
