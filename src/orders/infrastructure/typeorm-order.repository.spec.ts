import { databases } from '@animal-store/database/testing';
import { orderRepositoryContract } from '../testing/order.repository.contract.js';
import { TypeOrmOrderRepository } from './typeorm-order.repository.js';
import { ordersTables } from './orders.tables.js';

describe.each(databases)('TypeOrmOrderRepository on %s', (_, open) => {
  orderRepositoryContract(async () => {
    const { database, remove } = await open(ordersTables);
    return { orders: new TypeOrmOrderRepository(database), unitOfWork: database, close: remove };
  });
});
