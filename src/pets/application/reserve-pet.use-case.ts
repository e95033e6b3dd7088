import { Injectable } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { ChangePet } from './change-pet.js';

/** Reserves an available animal for a buyer. */
@Injectable()
export class ReservePet {
  constructor(private readonly changePet: ChangePet) {}

  /**
   * @throws PetNotFound when no animal has this id.
   * @throws PetNotAvailable unless it is available.
   */
  execute(id: bigint, within?: Transaction): Promise<Pet> {
    return this.changePet.execute(id, (pet) => pet.reserve(), within);
  }
}
