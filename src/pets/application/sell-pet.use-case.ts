import { Injectable } from '@nestjs/common';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { PetRepository } from '../domain/pet.repository.js';

/** Marks a reserved animal as sold. */
@Injectable()
export class SellPet {
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
      const pet = await this.pets.change(id, (reserved) => reserved.sell(), transaction);
      if (!pet) throw new PetNotFound(id);
      return pet;
    }, within);
  }
}
