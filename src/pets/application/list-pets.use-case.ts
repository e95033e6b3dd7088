import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { type PetFilter, PetRepository } from '../domain/pet.repository.js';

/** Lists animals in the order in which they were added. */
@Injectable()
export class ListPets {
  constructor(private readonly pets: PetRepository) {}

  execute(filter: PetFilter, page: PageRequest): Promise<Page<Pet>> {
    return this.pets.list(filter, page);
  }
}
