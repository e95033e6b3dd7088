import { Injectable } from '@nestjs/common';
import { Outbox, type Transaction } from '@animal-store/kernel';
import { NewPet, type Pet } from '../domain/pet.js';
import { PetAdded } from '../domain/pet.events.js';
import { PetRepository } from '../domain/pet.repository.js';
import type { PetStatus } from '../domain/pet.rules.js';

export interface CreatePetInput {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** Adds an animal to the store. */
@Injectable()
export class CreatePet {
  constructor(
    private readonly pets: PetRepository,
    private readonly outbox: Outbox,
  ) {}

  /** @throws InvalidPet when the name breaks its rule. */
  async execute({ name, categoryId, status }: CreatePetInput, within?: Transaction): Promise<Pet> {
    const offered = NewPet.offer(name, categoryId, status);
    return this.outbox.run(PetAdded, (transaction) => this.pets.add(offered, transaction), within);
  }
}
