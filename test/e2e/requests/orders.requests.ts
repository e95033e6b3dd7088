import type { ContextRequests } from './context-requests.js';

/** Animals 1 and 2 are available, order 1 is completed, and orders 2 and 3 are placed. */
export const orders: ContextRequests = {
  before: [
    'POST /v1/pets {"name":"Rex","categoryId":7}',
    'POST /v1/pets {"name":"Mia","categoryId":7}',
    'POST /v1/pets {"name":"Ada","categoryId":7}',
    'POST /v1/pets {"name":"Tom","categoryId":7}',
    'POST /v1/pets {"name":"Leo","categoryId":7}',
    'POST /v1/store/orders {"petId":3}',
    'POST /v1/store/orders/1/complete',
    'POST /v1/store/orders {"petId":4}',
    'POST /v1/store/orders {"petId":5}',
  ],
  operations: {
    listOrders: { request: 'GET /v1/store/orders?status=completed' },
    placeOrder: {
      request: 'POST /v1/store/orders {"petId":1}',
      other: 'POST /v1/store/orders {"petId":2}',
      errors: {
        unknown_pet: 'POST /v1/store/orders {"petId":999}',
        pet_not_available: 'POST /v1/store/orders {"petId":3}',
      },
    },
    getOrder: { request: 'GET /v1/store/orders/1' },
    completeOrder: {
      request: 'POST /v1/store/orders/1/complete',
      other: 'POST /v1/store/orders/2/complete',
      errors: { order_not_open: 'POST /v1/store/orders/1/complete' },
    },
    cancelOrder: {
      request: 'POST /v1/store/orders/1/cancel',
      other: 'POST /v1/store/orders/3/cancel',
      errors: { order_not_open: 'POST /v1/store/orders/1/cancel' },
    },
  },
  large: {
    // Most are of other accounts, and all but a few are completed.
    rows: (ids, count) => `INSERT INTO orders (account, pet_id, status, placed_at, updated_at)
      SELECT CASE WHEN id % 10 = 0 THEN 'zoo' ELSE 'other ' || (id % 7) END, id,
        CASE WHEN id > ${count - 500} THEN 'cancelled' ELSE 'completed' END, 0, 0 FROM ${ids}`,
    lists: [
      'GET /v1/store/orders',
      'GET /v1/store/orders?status=placed',
      'GET /v1/store/orders?status=completed',
      'GET /v1/store/orders?status=cancelled',
      // A common one with rare ones, and two rare ones.
      'GET /v1/store/orders?status=placed&status=completed&status=cancelled',
      'GET /v1/store/orders?status=placed&status=cancelled',
    ],
  },
};
