// Generated from docs/openapi.json by "npm run client:generate"; changes made here are lost.

import type { OperationDescription, Shape } from './description.js';
import type { Method } from './method.js';

/** One method for each operation of the service. */
export interface Operations {
  /**
   * List animals.
   * Animals in ascending order of id. The `Link` header has the URL of the next page.
   */
  listPets: Method<'listPets'>;
  /**
   * Add an animal.
   * Without a `status` the animal is `available`. Unknown fields are refused.
   */
  createPet: Method<'createPet'>;
  /**
   * Get an animal (until 2030-12-05).
   * @deprecated **Will be removed on 2030-12-05.** From then on the response is 410. Use `GET /pets` with a `status` filter instead.
   */
  getPet: Method<'getPet'>;
  /**
   * List orders.
   * Your orders in ascending order of id. The `Link` header has the URL of the next page.
   */
  listOrders: Method<'listOrders'>;
  /**
   * Place an order.
   * The animal must be `available` and becomes `pending`. Unknown fields are refused.
   */
  placeOrder: Method<'placeOrder'>;
  /**
   * Get an order.
   * One of your orders.
   */
  getOrder: Method<'getOrder'>;
  /**
   * Complete an order.
   * The order must be `placed`. Its animal becomes `sold`. A body is ignored.
   */
  completeOrder: Method<'completeOrder'>;
  /**
   * Cancel an order.
   * The order must be `placed`. Its animal becomes `available` again. A body is ignored.
   */
  cancelOrder: Method<'cancelOrder'>;
}

export const OPERATIONS: Readonly<Record<keyof Operations, OperationDescription>> = {
  listPets: {
    method: 'GET',
    path: '/pets',
    query: ['limit', 'status', 'cursor'],
    hasBody: false,
    takesIdempotencyKey: false,
    largestPage: 100,
    output: {
      items: {
        schema: 'Animal',
      },
    },
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    query: [],
    hasBody: true,
    takesIdempotencyKey: true,
    input: {
      fields: {
        categoryId: 'int64',
      },
    },
    output: {
      schema: 'Animal',
    },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
    input: {
      fields: {
        petId: 'int64',
      },
    },
    output: {
      schema: 'Animal',
    },
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    query: ['limit', 'status', 'cursor'],
    hasBody: false,
    takesIdempotencyKey: false,
    largestPage: 100,
    output: {
      items: {
        schema: 'Order',
      },
    },
  },
  placeOrder: {
    method: 'POST',
    path: '/store/orders',
    query: [],
    hasBody: true,
    takesIdempotencyKey: true,
    input: {
      fields: {
        petId: 'int64',
      },
    },
    output: {
      schema: 'Order',
    },
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    query: [],
    hasBody: false,
    takesIdempotencyKey: false,
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: {
      schema: 'Order',
    },
  },
  completeOrder: {
    method: 'POST',
    path: '/store/orders/{orderId}/complete',
    query: [],
    hasBody: false,
    takesIdempotencyKey: true,
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: {
      schema: 'Order',
    },
  },
  cancelOrder: {
    method: 'POST',
    path: '/store/orders/{orderId}/cancel',
    query: [],
    hasBody: false,
    takesIdempotencyKey: true,
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: {
      schema: 'Order',
    },
  },
};

/** Where the int64s are in a value of a schema that has some. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  Animal: {
    fields: {
      id: 'int64',
      categoryId: 'int64',
    },
  },
  NewAnimal: {
    fields: {
      categoryId: 'int64',
    },
  },
  Order: {
    fields: {
      id: 'int64',
      petId: 'int64',
    },
  },
  NewOrder: {
    fields: {
      petId: 'int64',
    },
  },
};

/** Every code that the service documents; `unknown` when something else than the service responded. */
export type ErrorCode =
  | 'api_key_banned'
  | 'bad_request'
  | 'conflict'
  | 'daily_quota_exceeded'
  | 'forbidden'
  | 'gone'
  | 'headers_too_large'
  | 'idempotency_in_progress'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_cursor'
  | 'invalid_json'
  | 'invalid_parameter'
  | 'method_not_allowed'
  | 'missing_api_key'
  | 'not_acceptable'
  | 'not_found'
  | 'operation_removed'
  | 'order_not_found'
  | 'order_not_open'
  | 'payload_too_large'
  | 'pet_not_available'
  | 'pet_not_found'
  | 'precondition_failed'
  | 'precondition_required'
  | 'rate_limit_exceeded'
  | 'request_timeout'
  | 'route_not_found'
  | 'service_unavailable'
  | 'unauthorized'
  | 'unknown_pet'
  | 'unprocessable'
  | 'unsupported_media_type'
  | 'uri_too_long'
  | 'validation_failed'
  | 'unknown';
