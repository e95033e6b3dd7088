import { CreateOrders1795000004000 } from './migrations/1795000004000-create-orders.js';
import { OrderRecord } from './order.record.js';

/** What this context keeps in the database. */
export const ordersSchema = { records: [OrderRecord], migrations: [CreateOrders1795000004000] };
