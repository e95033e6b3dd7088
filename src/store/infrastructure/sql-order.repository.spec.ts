import { databases } from '../../database/testing/temporary-database.js';
import { orderRepositoryContract } from '../testing/order.repository.contract.js';
import { SqlOrderRepository } from './sql-order.repository.js';
import { storeSchema } from './store.schema.js';

describe.each(databases)('SqlOrderRepository on %s', (_, open) => {
  orderRepositoryContract(async () => {
    const { database, remove } = await open(storeSchema);
    return { orders: new SqlOrderRepository(database), unitOfWork: database, close: remove };
  });
});
