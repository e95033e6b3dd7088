import { DomainError } from '@animal-store/kernel';
import type { PetStatus } from './pet.rules.js';

export class PetNotFound extends DomainError {
  static readonly when = 'No animal has this id.';
  static readonly fix = 'Take the id from the list of animals. Text that is not an int64 also gets 404.';
  static readonly example = new PetNotFound(7n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('pet_not_found', 'not-found', `No animal has id ${id}.`);
  }
}

/** The body of a request names the animal, so the input is invalid, rather than a resource missing. */
export class UnknownPet extends DomainError {
  static readonly when = 'No animal has this `petId`.';
  static readonly fix = 'Take the id from the list of animals, with a parser that does not round it.';
  static readonly example = new UnknownPet(7n);

  constructor(id: bigint) {
    super('unknown_pet', 'invalid', `No animal has the petId ${id}.`);
  }
}

/** What a use case throws of an animal that does not exist. */
export type PetMissing = typeof PetNotFound | typeof UnknownPet;

export class InvalidPet extends DomainError {
  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

export type PetAction = 'reserved' | 'sold' | 'released';

export class PetNotAvailable extends DomainError {
  static readonly when = 'The animal is not available.';
  static readonly fix =
    'Another order was faster, perhaps your own, whose response was lost: see your orders. Else choose an available animal.';
  static readonly example = new PetNotAvailable(7n, 'reserved', 'pending');

  constructor(id: bigint, action: PetAction, status: PetStatus) {
    super('pet_not_available', 'conflict', `Animal ${id} is ${status} and cannot be ${action}.`);
  }
}
