import { onEmptySqlite } from '@animal-store/database/testing';
import type { NewPet } from '../../pets/domain/pet.js';
import { petsTables } from '../../pets/infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../../pets/infrastructure/typeorm-pet.repository.js';
import { TypeOrmOrderRepository } from '../infrastructure/typeorm-order.repository.js';
import { ordersTables } from '../infrastructure/orders.tables.js';
import { addOrder, type OrderFacts } from './add-order.js';

/** Repositories for the specs of the use cases, empty when each test begins. The ids of what is put start at 1. */
export function orderStorage() {
  return onEmptySqlite([petsTables, ordersTables], (database) => {
    const orders = new TypeOrmOrderRepository(database);
    const pets = new TypeOrmPetRepository(database);
    /** Adds the orders in this sequence without changing their animals. */
    const put = async (...added: OrderFacts[]) => {
      for (const facts of added) await database.run((transaction) => addOrder(orders, facts, transaction));
    };
    const putPets = async (...newPets: NewPet[]) => {
      for (const pet of newPets) await pets.add(pet);
    };
    return { orders, pets, unitOfWork: database, put, putPets };
  });
}
