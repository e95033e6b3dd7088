import { Injectable } from '@nestjs/common';
import { ReservePet } from '../../pets/application/reserve-pet.use-case.js';
import { PetNotFound } from '../../pets/domain/pet.errors.js';
import { Clock } from '../../shared/clock.js';
import { type Transaction, UnitOfWork } from '../../shared/unit-of-work.js';
import { NewOrder, type Order } from '../domain/order.js';
import { UnknownPet } from '../domain/order.errors.js';
import { OrderRepository } from '../domain/order.repository.js';

/** Orders an available animal, which is kept for the account from then on. */
@Injectable()
export class PlaceOrder {
  constructor(
    private readonly orders: OrderRepository,
    private readonly reservePet: ReservePet,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws UnknownPet when no animal has this id.
   * @throws PetNotAvailable unless it is available.
   */
  execute(account: string, petId: bigint, within?: Transaction): Promise<Order> {
    return this.unitOfWork.run(async (transaction) => {
      // The animal first: whoever gets it is the one whose order is placed, and the others wait here.
      await this.reserve(petId, transaction);
      return this.orders.add(NewOrder.place(account, petId, this.clock.now()), transaction);
    }, within);
  }

  private async reserve(petId: bigint, transaction: Transaction): Promise<void> {
    try {
      await this.reservePet.execute(petId, transaction);
    } catch (error) {
      // Here the animal is named in the order, not by the path: the order is wrong, nothing is missing.
      throw error instanceof PetNotFound ? new UnknownPet(petId) : error;
    }
  }
}
