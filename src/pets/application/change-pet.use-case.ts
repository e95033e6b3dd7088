import { Injectable } from '@nestjs/common';
import { Outbox, type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { type PetMissing, PetNotFound } from '../domain/pet.errors.js';
import { PetStatusChanged } from '../domain/pet.events.js';
import { PetRepository } from '../domain/pet.repository.js';

/** Changes the status of an animal by one of its verbs. */
@Injectable()
export class ChangePet {
  constructor(
    private readonly pets: PetRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @throws Missing when no animal has this id.
   * @throws PetNotAvailable from any other status than that of the verb.
   */
  execute(
    id: bigint,
    verb: 'reserve' | 'sell' | 'release',
    within?: Transaction,
    Missing: PetMissing = PetNotFound,
  ): Promise<Pet> {
    return this.unitOfWork.run(async (transaction) => {
      const pet = await this.pets.change(id, (current) => current[verb](), transaction);
      if (!pet) throw new Missing(id);
      await this.outbox.add(new PetStatusChanged(pet), transaction);
      return pet;
    }, within);
  }
}
