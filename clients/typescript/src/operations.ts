// Generated from docs/openapi.json by "npm run client:generate"; changes made here are lost.

import type { Method } from './method.js';

/** One method for each operation of the service. */
export interface Operations {
  /**
   * List animals.
   * Animals in ascending order of id. Further pages are named by the `Link` header.
   */
  listPets: Method<'listPets'>;
  /**
   * Add an animal.
   * A status left out means `available`. Unknown fields are refused.
   */
  createPet: Method<'createPet'>;
  /**
   * Get an animal (until 2030-12-05).
   * @deprecated **Will be removed on 2030-12-05** and answer 410 from then on. Use `GET /pets` with a `status` filter instead.
   */
  getPet: Method<'getPet'>;
  /**
   * List orders.
   * Your orders in ascending order of id. Further pages are named by the `Link` header.
   */
  listOrders: Method<'listOrders'>;
  /**
   * Place an order.
   * The animal must be `available`; it is `pending` from then on. Unknown fields are refused.
   */
  placeOrder: Method<'placeOrder'>;
  /**
   * Get an order.
   * One of your orders.
   */
  getOrder: Method<'getOrder'>;
  /**
   * Complete an order.
   * The order must be `placed`; its animal is `sold` from then on. A body is ignored.
   */
  completeOrder: Method<'completeOrder'>;
  /**
   * Cancel an order.
   * The order must be `placed`; its animal is `available` again from then on. A body is ignored.
   */
  cancelOrder: Method<'cancelOrder'>;
}

/** How each operation is sent. What its input has beyond `path` and `query` are the fields of the body. */
export const OPERATIONS = {
  listPets: {
    method: 'GET',
    path: '/pets',
    query: ['limit', 'status', 'cursor'],
    hasBody: false,
    takesIdempotencyKey: false,
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    query: [],
    hasBody: true,
    takesIdempotencyKey: true,
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    query: ['limit', 'status', 'cursor'],
    hasBody: false,
    takesIdempotencyKey: false,
  },
  placeOrder: {
    method: 'POST',
    path: '/store/orders',
    query: [],
    hasBody: true,
    takesIdempotencyKey: true,
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
  },
  completeOrder: {
    method: 'POST',
    path: '/store/orders/{orderId}/complete',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
  },
  cancelOrder: {
    method: 'POST',
    path: '/store/orders/{orderId}/cancel',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
  },
} as const;

/** The fields whose numbers are int64. */
export const INT64_FIELDS: ReadonlySet<string> = new Set(['id', 'categoryId', 'petId']);
