import { temporarySqlite } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { NewPet } from '../../pets/domain/pet.js';
import type { PetRepository } from '../../pets/domain/pet.repository.js';
import { petsTables } from '../../pets/infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../../pets/infrastructure/typeorm-pet.repository.js';
import type { NewOrder } from '../domain/order.js';
import type { OrderRepository } from '../domain/order.repository.js';
import { TypeOrmOrderRepository } from '../infrastructure/typeorm-order.repository.js';
import { ordersTables } from '../infrastructure/orders.tables.js';

export interface OrderStorage {
  readonly orders: OrderRepository;
  readonly pets: PetRepository;
  readonly unitOfWork: UnitOfWork;
  /** Adds the orders in the given sequence without changing their animals. The ids start at 1. */
  put(...orders: NewOrder[]): Promise<void>;
  /** Adds the animals in the given sequence. The ids start at 1. */
  putPets(...pets: NewPet[]): Promise<void>;
  close(): Promise<void>;
}

/** Repositories of orders and animals for the specs of the use cases. */
export async function openOrderStorage(): Promise<OrderStorage> {
  const { database, remove } = await temporarySqlite(petsTables, ordersTables);
  const orders = new TypeOrmOrderRepository(database);
  const pets = new TypeOrmPetRepository(database);
  return {
    orders,
    pets,
    unitOfWork: database,
    put: async (...given) => {
      for (const order of given) await database.run((transaction) => orders.add(order, transaction));
    },
    putPets: async (...given) => {
      for (const pet of given) await database.run((transaction) => pets.add(pet, transaction));
    },
    close: remove,
  };
}
