import { Injectable } from '@nestjs/common';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { PetRepository } from '../domain/pet.repository.js';

/** What the use cases that change one animal share. */
@Injectable()
export class ChangePet {
  constructor(
    private readonly pets: PetRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws PetNotFound when no animal has this id. */
  execute(id: bigint, change: (pet: Pet) => Pet, within?: Transaction): Promise<Pet> {
    return this.unitOfWork.run(async (transaction) => {
      const pet = await this.pets.change(id, change, transaction);
      if (!pet) throw new PetNotFound(id);
      return pet;
    }, within);
  }
}
