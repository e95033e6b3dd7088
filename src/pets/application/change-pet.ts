import { Injectable } from '@nestjs/common';
import { Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { PetStatusChanged } from '../domain/pet.events.js';
import { PetRepository } from '../domain/pet.repository.js';

/** What the use cases that change one animal share. */
@Injectable()
export class ChangePet {
  constructor(
    private readonly pets: PetRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  /** @throws PetNotFound when no animal has this id. */
  execute(id: bigint, change: (pet: Pet) => Pet, within?: Transaction): Promise<Pet> {
    return this.unitOfWork.run(async (transaction) => {
      let before: Pet | undefined;
      const pet = await this.pets.change(id, (current) => change((before = current)), transaction);
      if (!pet) throw new PetNotFound(id);
      if (pet !== before) await this.outbox.add(new PetStatusChanged(pet), transaction);
      return pet;
    }, within);
  }
}
