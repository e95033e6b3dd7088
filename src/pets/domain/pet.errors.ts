import { DomainError } from '../../shared/domain-error.js';
import type { PetStatus } from './pet-status.js';

export class PetNotFound extends DomainError {
  constructor() {
    super('pet_not_found', 'not-found', 'No animal has this petId.');
  }
}

export class InvalidPet extends DomainError {
  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

export type PetAction = 'reserved' | 'sold' | 'released';

export class PetNotAvailable extends DomainError {
  constructor(action: PetAction, status: PetStatus) {
    super('pet_not_available', 'conflict', `The animal is ${status} and cannot be ${action}.`);
  }
}
