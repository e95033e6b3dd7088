import type { ContextRequests } from './context-requests.js';

/** Animals 1 and 2 are available, animal 3 is sold, and order 1 is completed. */
export const orders: ContextRequests = {
  before: [
    'POST /v1/pets {"name":"Rex","categoryId":7}',
    'POST /v1/pets {"name":"Mia","categoryId":7}',
    'POST /v1/pets {"name":"Ada","categoryId":7}',
    'POST /v1/store/orders {"petId":3}',
    'POST /v1/store/orders/1/complete',
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
      errors: { order_not_open: 'POST /v1/store/orders/1/complete' },
    },
    cancelOrder: {
      request: 'POST /v1/store/orders/1/cancel',
      errors: { order_not_open: 'POST /v1/store/orders/1/cancel' },
    },
  },
};
