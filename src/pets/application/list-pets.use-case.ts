import { Injectable } from '@nestjs/common';
import type { Page } from '../../shared/page.js';
import type { Pet } from '../domain/pet.js';
import { PetRepository } from '../domain/pet.repository.js';
import type { PetStatus } from '../domain/pet-status.js';

export interface ListPetsInput {
  readonly status?: PetStatus;
  readonly limit: number;
  /** The id after which the page starts; null for the first page. */
  readonly afterId: bigint | null;
}

/** Lists animals in the order in which they were added. */
@Injectable()
export class ListPets {
  constructor(private readonly pets: PetRepository) {}

  execute({ status, limit, afterId }: ListPetsInput): Promise<Page<Pet>> {
    return this.pets.list({ status }, limit, afterId);
  }
}
