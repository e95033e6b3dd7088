import { Injectable } from '@nestjs/common';
import type { Pet } from '../domain/pet.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { PetRepository } from '../domain/pet.repository.js';

@Injectable()
export class GetPet {
  constructor(private readonly pets: PetRepository) {}

  /** @throws PetNotFound when no animal has this id. */
  async execute(id: bigint): Promise<Pet> {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) throw new PetNotFound(id);
    return pet;
  }
}
