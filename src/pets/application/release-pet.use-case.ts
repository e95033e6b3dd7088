import { Injectable } from '@nestjs/common';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { PetRepository } from '../domain/pet.repository.js';

/** Makes a reserved animal available again. */
@Injectable()
export class ReleasePet {
  constructor(
    private readonly pets: PetRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws PetNotFound when no animal has this id.
   * @throws PetNotAvailable unless it is pending.
   */
  execute(id: bigint, within?: Transaction): Promise<Pet> {
    return this.unitOfWork.run(async (transaction) => {
      const pet = await this.pets.change(id, (reserved) => reserved.release(), transaction);
      if (!pet) throw new PetNotFound(id);
      return pet;
    }, within);
  }
}
