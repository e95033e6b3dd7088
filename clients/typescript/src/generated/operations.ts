// Generated from docs/openapi.json by "npm run dev -- client:generate"; changes made here are lost.

import type { Shape } from '../json/shape.js';
import type { Method, OperationDescription, OperationName } from '../method.js';
import type { components } from './schema.js';

/** The version of this package. */
export const VERSION = '2.0.1';

/** One method for each operation of the service but streams. */
export interface Operations {
  /**
   * List animals.
   * Animals in ascending order of id. The `Link` header has the URL of the next page. Needs the scope `pets:read`. Guide: [Pagination](/docs/guides/pagination).
   */
  listPets: Method<'listPets'>;
  /**
   * Add an animal.
   * Without a `status` the animal is `available`. Unknown fields are refused. The operation that `Location` names is deprecated, so store the animal of the response. Needs the scope `pets:write`. Guide: [Retries and idempotency](/docs/guides/retries).
   */
  createPet: Method<'createPet'>;
  /**
   * Get an animal (until 2030-12-05).
   * @deprecated **Will be removed on 2030-12-05.** From then on the response is 410. Use `GET /pets` with a `status` filter instead. No filter accepts an id: read the pages, which ascend by `id`, until the animal appears, with its status as filter if you know it. Needs the scope `pets:read`. Guide: [Deprecation](/docs/guides/deprecation).
   */
  getPet: Method<'getPet'>;
  /**
   * List orders.
   * Your orders in ascending order of id. The `Link` header has the URL of the next page. Needs the scope `orders:read`. Guide: [Pagination](/docs/guides/pagination).
   */
  listOrders: Method<'listOrders'>;
  /**
   * Place an order.
   * The animal must be `available` and becomes `pending`. Unknown fields are refused. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
   */
  placeOrder: Method<'placeOrder'>;
  /**
   * Get an order.
   * One of your orders. Needs the scope `orders:read`. Guide: [Getting started](/docs/guides/getting-started).
   */
  getOrder: Method<'getOrder'>;
  /**
   * Complete an order.
   * The order must be `placed`. Its animal becomes `sold`. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
   */
  completeOrder: Method<'completeOrder'>;
  /**
   * Cancel an order.
   * The order must be `placed`. Its animal becomes `available` again. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
   */
  cancelOrder: Method<'cancelOrder'>;
  /**
   * See what is left.
   * The plan of your key, and what your account has used of it. It uses up nothing, and has 600 requests a minute of its own, which its headers show; it responds during a ban, too. Guide: [Limits and bans](/docs/guides/limits).
   */
  getUsage: Method<'getUsage'>;
  /**
   * List keys.
   * The active keys of your account, in the order of their ids. The `Link` header has the URL of the next page. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
   */
  listKeys: Method<'listKeys'>;
  /**
   * Make a key.
   * A key of your account, with at most the plan, the scopes and the expiry of the key that makes it. Its text is in this response and nowhere else; the request accepts no `Idempotency-Key`. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
   */
  createKey: Method<'createKey'>;
  /**
   * Get a key.
   * One of the keys of your account, also one that is revoked or expired. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
   */
  getKey: Method<'getKey'>;
  /**
   * Revoke a key.
   * The key stops working within 5 seconds, for ever. It may be repeated. Your own key may be revoked, too. Keys that it has made stay as they are, unless `descendants=true`, which spares your own. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
   */
  revokeKey: Method<'revokeKey'>;
  /**
   * Rotate a key.
   * Makes a key with the same name, plan, scopes and expiry; the old one still works until the grace period ends. Your own key may be rotated, too. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
   */
  rotateKey: Method<'rotateKey'>;
  /**
   * List events.
   * What you were notified of, or would have been, of the last 30 days, the oldest first, ten seconds after it happened: your own orders, and all animals. Without `type`, all that your key may read. An event is stored while a webhook for it exists, in any status: yours for orders, anybody's for animals. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  listEvents: Method<'listEvents'>;
  /**
   * Get an event.
   * One of your events, by the `webhook-id` under which it was sent. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  getEvent: Method<'getEvent'>;
  /**
   * List webhooks.
   * Your webhooks in ascending order of id. A disabled one says since when. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  listWebhooks: Method<'listWebhooks'>;
  /**
   * Create a webhook.
   * It is `pending` until its receiver has responded to a `webhook.test` with a success: one is sent at once, and again for a day. Events from then on, and from five seconds after the response on, are sent there. The key must have the scopes that read these events, as long as the webhook is to be notified of them. The `secret` is shown only now: with an `Idempotency-Key`, a retry with the same key gets it again for 24 hours. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  createWebhook: Method<'createWebhook'>;
  /**
   * Get a webhook.
   * One of your webhooks. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  getWebhook: Method<'getWebhook'>;
  /**
   * Delete a webhook.
   * What has not arrived yet is not sent any more. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  deleteWebhook: Method<'deleteWebhook'>;
  /**
   * Rotate the secret of a webhook.
   * The new `secret` is shown only now. For 24 hours the previous one signs too, so each request has a signature of both. A retry with another key is refused. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  rotateWebhookSecret: Method<'rotateWebhookSecret'>;
  /**
   * Test a webhook.
   * Sends it a `webhook.test` once, also when it is disabled: when that arrives, it is enabled. To a `pending` one it is sent up to seven times in a day. The deliveries show the outcome. A key that may read its events, and works for longer than the owner key, becomes the owner. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  testWebhook: Method<'testWebhook'>;
  /**
   * List the deliveries of a webhook.
   * The newest first. Those that have ended are shown for a week. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  listWebhookDeliveries: Method<'listWebhookDeliveries'>;
  /**
   * Retry a delivery.
   * Sends it again now, whatever its status, with ten attempts and the same `webhook-id`. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
   */
  retryWebhookDelivery: Method<'retryWebhookDelivery'>;
}

/** The codes with which each operation may be refused. */
export interface OperationErrorCodes {
  listPets:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  createPet:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_json'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'payload_too_large'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'unsupported_media_type'
    | 'validation_failed';
  getPet:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'operation_removed'
    | 'pet_not_found'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  listOrders:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  placeOrder:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_json'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'payload_too_large'
    | 'pet_not_available'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'unknown_pet'
    | 'unsupported_media_type'
    | 'validation_failed';
  getOrder:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'order_not_found'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  completeOrder:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'order_not_found'
    | 'order_not_open'
    | 'precondition_failed'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  cancelOrder:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'order_not_found'
    | 'order_not_open'
    | 'precondition_failed'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  getUsage:
    | 'api_key_banned'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  listKeys:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  createKey:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'exceeds_own_key'
    | 'inactive_api_key'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_json'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'payload_too_large'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'too_many_keys'
    | 'unsupported_media_type'
    | 'validation_failed';
  getKey:
    | 'api_key_banned'
    | 'api_key_not_found'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  revokeKey:
    | 'api_key_banned'
    | 'api_key_not_found'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'exceeds_own_key'
    | 'inactive_api_key'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  rotateKey:
    | 'api_key_banned'
    | 'api_key_not_found'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'exceeds_own_key'
    | 'inactive_api_key'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'own_key_needs_grace'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'too_many_keys'
    | 'validation_failed';
  listEvents:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  getEvent:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'event_not_found'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  listWebhooks:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed';
  createWebhook:
    | 'api_key_banned'
    | 'daily_quota_exceeded'
    | 'first_response_withheld'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_json'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'payload_too_large'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'too_many_webhooks'
    | 'unsupported_media_type'
    | 'validation_failed';
  getWebhook:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
  deleteWebhook:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
  rotateWebhookSecret:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'first_response_withheld'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
  testWebhook:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
  listWebhookDeliveries:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_cursor'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
  retryWebhookDelivery:
    | 'api_key_banned'
    | 'bad_request'
    | 'daily_quota_exceeded'
    | 'delivery_not_found'
    | 'idempotency_in_progress'
    | 'idempotency_key_reused'
    | 'insufficient_scope'
    | 'internal_error'
    | 'invalid_api_key'
    | 'invalid_parameter'
    | 'missing_api_key'
    | 'rate_limit_exceeded'
    | 'request_timeout'
    | 'service_unavailable'
    | 'validation_failed'
    | 'webhook_not_found';
}

const CONDITIONAL = ['If-None-Match'];
const ONCE = ['Idempotency-Key'];

export const OPERATIONS: Readonly<Record<OperationName, OperationDescription>> = {
  listPets: {
    line: 'GET /pets?limit&cursor&status',
    headers: CONDITIONAL,
    largestPage: 100,
    output: {
      items: 'Animal',
    },
  },
  createPet: {
    line: 'POST /pets',
    headers: ONCE,
    body: 'json',
    input: {
      fields: {
        categoryId: 'int64',
      },
    },
    output: 'Animal',
  },
  getPet: {
    line: 'GET /pets/{petId}',
    headers: CONDITIONAL,
    input: {
      fields: {
        petId: 'int64',
      },
    },
    output: 'Animal',
  },
  listOrders: {
    line: 'GET /store/orders?limit&cursor&status',
    headers: CONDITIONAL,
    largestPage: 100,
    output: {
      items: 'Order',
    },
  },
  placeOrder: {
    line: 'POST /store/orders',
    headers: ONCE,
    body: 'json',
    input: {
      fields: {
        petId: 'int64',
      },
    },
    output: 'Order',
  },
  getOrder: {
    line: 'GET /store/orders/{orderId}',
    headers: CONDITIONAL,
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: 'Order',
  },
  completeOrder: {
    line: 'POST /store/orders/{orderId}/complete',
    headers: ['If-Match', 'Idempotency-Key'],
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: 'Order',
  },
  cancelOrder: {
    line: 'POST /store/orders/{orderId}/cancel',
    headers: ['If-Match', 'Idempotency-Key'],
    input: {
      fields: {
        orderId: 'int64',
      },
    },
    output: 'Order',
  },
  getUsage: {
    line: 'GET /usage',
    headers: CONDITIONAL,
  },
  listKeys: {
    line: 'GET /keys?limit&cursor',
    headers: CONDITIONAL,
    largestPage: 100,
  },
  createKey: {
    line: 'POST /keys',
    body: 'json',
  },
  getKey: {
    line: 'GET /keys/{keyId}',
    headers: CONDITIONAL,
  },
  revokeKey: {
    line: 'DELETE /keys/{keyId}?descendants',
  },
  rotateKey: {
    line: 'POST /keys/{keyId}/rotate?graceSeconds',
  },
  listEvents: {
    line: 'GET /events?limit&cursor&type',
    headers: CONDITIONAL,
    largestPage: 100,
  },
  getEvent: {
    line: 'GET /events/{eventId}',
    headers: CONDITIONAL,
  },
  listWebhooks: {
    line: 'GET /webhooks?limit&cursor',
    headers: CONDITIONAL,
    largestPage: 100,
    output: {
      items: 'Webhook',
    },
  },
  createWebhook: {
    line: 'POST /webhooks',
    headers: ONCE,
    body: 'json',
    output: 'WebhookWithSecret',
  },
  getWebhook: {
    line: 'GET /webhooks/{webhookId}',
    headers: CONDITIONAL,
    input: {
      fields: {
        webhookId: 'int64',
      },
    },
    output: 'Webhook',
  },
  deleteWebhook: {
    line: 'DELETE /webhooks/{webhookId}',
    input: {
      fields: {
        webhookId: 'int64',
      },
    },
  },
  rotateWebhookSecret: {
    line: 'POST /webhooks/{webhookId}/rotate-secret',
    headers: ONCE,
    input: {
      fields: {
        webhookId: 'int64',
      },
    },
    output: 'WebhookWithSecret',
  },
  testWebhook: {
    line: 'POST /webhooks/{webhookId}/test',
    headers: ONCE,
    input: {
      fields: {
        webhookId: 'int64',
      },
    },
    output: 'Delivery',
  },
  listWebhookDeliveries: {
    line: 'GET /webhooks/{webhookId}/deliveries?limit&cursor&status',
    headers: CONDITIONAL,
    largestPage: 100,
    input: {
      fields: {
        webhookId: 'int64',
      },
    },
    output: {
      items: 'Delivery',
    },
  },
  retryWebhookDelivery: {
    line: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    headers: ONCE,
    input: {
      fields: {
        webhookId: 'int64',
        deliveryId: 'int64',
      },
    },
    output: 'Delivery',
  },
};

/** What the service sends to webhooks. */
export type WebhookEvent =
  | components['schemas']['AnimalEvent']
  | components['schemas']['OrderEvent']
  | components['schemas']['TestEvent'];

/** Where the int64s are in an event, by its type. */
export const EVENTS: Readonly<Record<string, Shape | undefined>> = {
  'animal.added': 'AnimalEvent',
  'animal.status_changed': 'AnimalEvent',
  'order.placed': 'OrderEvent',
  'order.completed': 'OrderEvent',
  'order.cancelled': 'OrderEvent',
};

/** Where the int64s are in a value of a schema that has some. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  Animal: {
    fields: {
      id: 'int64',
      categoryId: 'int64',
    },
  },
  Order: {
    fields: {
      id: 'int64',
      petId: 'int64',
    },
  },
  Webhook: {
    fields: {
      id: 'int64',
    },
  },
  WebhookWithSecret: {
    fields: {
      id: 'int64',
    },
  },
  Delivery: {
    fields: {
      id: 'int64',
    },
  },
  AnimalEvent: {
    fields: {
      data: 'Animal',
    },
  },
  OrderEvent: {
    fields: {
      data: 'Order',
    },
  },
};
