import { Pet } from '../domain/pet.js';
import type { PetRecord } from './pet.record.js';

export function toPet(record: PetRecord): Pet {
  return Pet.restore(record);
}
