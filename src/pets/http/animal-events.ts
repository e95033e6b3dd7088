import type { EventDeclaration } from '@animal-store/openapi';
import type { PetAdded, PetStatusChanged } from '../domain/pet.events.js';
import { AnimalResponse, toAnimal } from './animal.response.js';

const ANIMAL = {
  version: 1,
  response: AnimalResponse,
  dataOf: ({ pet }: PetAdded | PetStatusChanged) => toAnimal(pet),
  scope: 'pets:read',
};

/** The events that every account gets. */
export const animalEvents: readonly EventDeclaration<PetAdded | PetStatusChanged>[] = [
  { ...ANIMAL, name: 'animal.added', summary: 'An animal was added' },
  {
    ...ANIMAL,
    name: 'animal.status_changed',
    summary: 'The status of an animal has changed',
    example: { status: 'sold' },
  },
];
