import { CreateOrders1795000004000 } from './migrations/1795000004000-create-orders.js';
import { IndexOpenOrders1795000021000 } from './migrations/1795000021000-index-open-orders.js';
import { OrderRecord } from './order.record.js';

export const ordersTables = {
  records: [OrderRecord],
  migrations: [CreateOrders1795000004000, IndexOpenOrders1795000021000],
};
