import { Injectable } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { ChangePet } from './change-pet.js';

/** Makes a reserved animal available again. */
@Injectable()
export class ReleasePet {
  constructor(private readonly changePet: ChangePet) {}

  /**
   * @throws PetNotFound when no animal has this id.
   * @throws PetNotAvailable unless it is pending.
   */
  execute(id: bigint, within?: Transaction): Promise<Pet> {
    return this.changePet.execute(id, (pet) => pet.release(), within);
  }
}
