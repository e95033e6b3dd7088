import type { DomainEvent } from '@animal-store/kernel';
import type { Pet } from './pet.js';

/** An animal was added to the store. */
export class PetAdded implements DomainEvent {
  static readonly event = 'animal.added';
  readonly name = PetAdded.event;

  constructor(readonly pet: Pet) {}
}

/** An animal has another status. */
export class PetStatusChanged implements DomainEvent {
  readonly name = 'animal.status_changed';

  constructor(readonly pet: Pet) {}
}
