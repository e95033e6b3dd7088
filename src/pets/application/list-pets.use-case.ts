import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PetRepository } from '../domain/pet.repository.js';
import type { PetStatus } from '../domain/pet.rules.js';

export interface ListPetsInput extends PageRequest {
  readonly status?: PetStatus;
}

/** Lists animals in the order in which they were added. */
@Injectable()
export class ListPets {
  constructor(private readonly pets: PetRepository) {}

  execute({ status, limit, after }: ListPetsInput): Promise<Page<Pet>> {
    return this.pets.list({ status }, { limit, after });
  }
}
