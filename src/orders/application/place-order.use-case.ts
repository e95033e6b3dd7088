import { Injectable } from '@nestjs/common';
import { Clock, Outbox, UnitOfWork } from '@animal-store/kernel';
import { ChangePet } from '../../pets/application/change-pet.use-case.js';
import { UnknownPet } from '../../pets/domain/pet.errors.js';
import { Order } from '../domain/order.js';
import { OrderChanged } from '../domain/order.events.js';
import { OrderRepository } from '../domain/order.repository.js';

/** Places an order for an available animal and reserves the animal. */
@Injectable()
export class PlaceOrder {
  constructor(
    private readonly orders: OrderRepository,
    private readonly changePet: ChangePet,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @throws UnknownPet when no animal has this id.
   * @throws PetNotAvailable unless it is available.
   */
  execute(account: string, petId: bigint): Promise<Order> {
    return this.unitOfWork.run(async (transaction) => {
      // Locks the animal first: concurrent orders for it wait here, and only the first one succeeds.
      await this.changePet.execute(petId, 'reserve', transaction, UnknownPet);
      const order = await this.orders.add(Order.place(account, petId, this.clock.now()), transaction);
      await this.outbox.add(new OrderChanged(order), transaction);
      return order;
    });
  }
}
