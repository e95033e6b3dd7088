import type { ContextRequests } from './context-requests.js';

const NEW = '{"url":"https://shop.example/webhooks","events":["animal.added","order.placed"]}';
/** The sixth event: that of the animal. Suites that need it number the events. */
const EVENT_ID = 'evt_00000000-0000-4000-8000-000000000006';
/** Before the noon at which the tests are: what ended a week ago is removed at any moment. */
const NIGHT_MS = Date.UTC(2026, 2, 14, 3);

/** Webhooks 1 to 3 are of the account. Deliveries 1 to 3 are their first tests, and 4 and 5 are of webhook 1. */
export const webhooks: ContextRequests = {
  before: [
    `POST /v1/webhooks ${NEW}`,
    `POST /v1/webhooks ${NEW}`,
    `POST /v1/webhooks ${NEW}`,
    'POST /v1/webhooks/1/test',
    'POST /v1/webhooks/1/test',
    'POST /v1/pets {"name":"Rex","categoryId":7}',
  ],
  operations: {
    listWebhooks: { request: 'GET /v1/webhooks' },
    createWebhook: {
      request: `POST /v1/webhooks ${NEW}`,
      other: 'POST /v1/webhooks {"url":"https://zoo.example","events":["order.cancelled"]}',
      jointRule: 'An account has at most 20 webhooks, and the host of a URL is public.',
      errors: { too_many_webhooks: Array.from({ length: 21 }, () => `POST /v1/webhooks ${NEW}` as const) },
    },
    getWebhook: { request: 'GET /v1/webhooks/1' },
    deleteWebhook: { request: 'DELETE /v1/webhooks/3' },
    rotateWebhookSecret: {
      request: 'POST /v1/webhooks/1/rotate-secret',
      other: 'POST /v1/webhooks/2/rotate-secret',
    },
    testWebhook: { request: 'POST /v1/webhooks/1/test', other: 'POST /v1/webhooks/2/test' },
    listWebhookDeliveries: { request: 'GET /v1/webhooks/1/deliveries?status=pending' },
    retryWebhookDelivery: {
      request: 'POST /v1/webhooks/1/deliveries/1/retry',
      other: 'POST /v1/webhooks/1/deliveries/4/retry',
      errors: { delivery_not_found: 'POST /v1/webhooks/1/deliveries/999/retry' },
    },
    listEvents: { request: 'GET /v1/events?type=animal.added' },
    getEvent: {
      request: `GET /v1/events/${EVENT_ID}`,
      errors: { event_not_found: 'GET /v1/events/evt_unknown' },
    },
  },
  large: {
    // A tenth are of the first webhook, a tenth of the third one, which is deleted. Nearly all have arrived today, and
    // a few are due.
    rows: (ids, count) => `INSERT INTO webhook_deliveries
        (webhook_id, event_id, rank, status, attempts, next_attempt_at, began_at, ended_at)
      SELECT CASE id % 10 WHEN 0 THEN 1 WHEN 1 THEN 3 ELSE 10 + id % 7 END, 1, 2,
        CASE WHEN id > ${count - 50} THEN 'pending' WHEN id > ${count - 500} THEN 'failed' ELSE 'delivered' END, 1,
        CASE WHEN id > ${count - 50} THEN ${NIGHT_MS} + id END, ${NIGHT_MS},
        CASE WHEN id <= ${count - 50} THEN ${NIGHT_MS} + id END FROM ${ids}`,
    lists: [
      'GET /v1/webhooks/1/deliveries',
      'GET /v1/webhooks/1/deliveries?status=pending',
      'GET /v1/webhooks/1/deliveries?status=delivered',
      'GET /v1/webhooks/1/deliveries?status=failed',
    ],
  },
};
