// Generated from docs/openapi.json by "npm run dev -- client:generate"; changes made here are lost.

export interface paths {
  '/pets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List animals
     * @description Animals in ascending order of id. The `Link` header has the URL of the next page. Needs the scope `pets:read`. Guide: [Pagination](/docs/guides/pagination).
     */
    get: operations['listPets'];
    put?: never;
    /**
     * Add an animal
     * @description Without a `status` the animal is `available`. Unknown fields are refused. The operation that `Location` names is deprecated, so store the animal of the response. Needs the scope `pets:write`. Guide: [Retries and idempotency](/docs/guides/retries).
     */
    post: operations['createPet'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pets/{petId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an animal (until 2030-12-05)
     * @deprecated
     * @description **Will be removed on 2030-12-05.** From then on the response is 410. Use `GET /pets` with a `status` filter instead. No filter accepts an id: read the pages, which ascend by `id`, until the animal appears, with its status as filter if you know it. Needs the scope `pets:read`. Guide: [Deprecation](/docs/guides/deprecation).
     */
    get: operations['getPet'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List orders
     * @description Your orders in ascending order of id. The `Link` header has the URL of the next page. Needs the scope `orders:read`. Guide: [Pagination](/docs/guides/pagination).
     */
    get: operations['listOrders'];
    put?: never;
    /**
     * Place an order
     * @description The animal must be `available` and becomes `pending`. Unknown fields are refused. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
     */
    post: operations['placeOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store/orders/{orderId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an order
     * @description One of your orders. Needs the scope `orders:read`. Guide: [Getting started](/docs/guides/getting-started).
     */
    get: operations['getOrder'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store/orders/{orderId}/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Complete an order
     * @description The order must be `placed`. Its animal becomes `sold`. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
     */
    post: operations['completeOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store/orders/{orderId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel an order
     * @description The order must be `placed`. Its animal becomes `available` again. Needs the scope `orders:write`. Guide: [Retries and idempotency](/docs/guides/retries).
     */
    post: operations['cancelOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * See what is left
     * @description The plan of your key, and what your account has used of it. It uses up nothing, and has 600 requests a minute of its own, which its headers show; it responds during a ban, too. Guide: [Limits and bans](/docs/guides/limits).
     */
    get: operations['getUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List keys
     * @description The active keys of your account, in the order of their ids. The `Link` header has the URL of the next page. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
     */
    get: operations['listKeys'];
    put?: never;
    /**
     * Make a key
     * @description A key of your account, with at most the plan, the scopes and the expiry of the key that makes it. Its text is in this response and nowhere else; the request accepts no `Idempotency-Key`. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
     */
    post: operations['createKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys/{keyId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a key
     * @description One of the keys of your account, also one that is revoked or expired. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
     */
    get: operations['getKey'];
    put?: never;
    post?: never;
    /**
     * Revoke a key
     * @description The key stops working within 5 seconds, for ever. It may be repeated. Your own key may be revoked, too. Keys that it has made stay as they are, unless `descendants=true`, which spares your own. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
     */
    delete: operations['revokeKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys/{keyId}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate a key
     * @description Makes a key with the same name, plan, scopes and expiry; the old one still works until the grace period ends. Your own key may be rotated, too. Needs the scope `keys:manage`. Guide: [Keys and scopes](/docs/guides/keys).
     */
    post: operations['rotateKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List events
     * @description What you were notified of, or would have been, of the last 30 days, the oldest first, ten seconds after it happened: your own orders, and all animals. Without `type`, all that your key may read. An event is stored while a webhook for it exists, in any status: yours for orders, anybody's for animals. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events/{eventId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an event
     * @description One of your events, by the `webhook-id` under which it was sent. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    get: operations['getEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhooks
     * @description Your webhooks in ascending order of id. A disabled one says since when. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Create a webhook
     * @description It is `pending` until its receiver has responded to a `webhook.test` with a success: one is sent at once, and again for a day. Events from then on, and from five seconds after the response on, are sent there. The key must have the scopes that read these events, as long as the webhook is to be notified of them. The `secret` is shown only now: with an `Idempotency-Key`, a retry with the same key gets it again for 24 hours. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{webhookId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a webhook
     * @description One of your webhooks. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    get: operations['getWebhook'];
    put?: never;
    post?: never;
    /**
     * Delete a webhook
     * @description What has not arrived yet is not sent any more. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{webhookId}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of a webhook
     * @description The new `secret` is shown only now. For 24 hours the previous one signs too, so each request has a signature of both. A retry with another key is refused. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{webhookId}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test a webhook
     * @description Sends it a `webhook.test` once, also when it is disabled: when that arrives, it is enabled. To a `pending` one it is sent up to seven times in a day. The deliveries show the outcome. A key that may read its events, and works for longer than the owner key, becomes the owner. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{webhookId}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deliveries of a webhook
     * @description The newest first. Those that have ended are shown for a week. Needs the scope `webhooks:read`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    get: operations['listWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{webhookId}/deliveries/{deliveryId}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retry a delivery
     * @description Sends it again now, whatever its status, with ten attempts and the same `webhook-id`. Needs the scope `webhooks:write`. Guide: [Webhooks and events](/docs/guides/webhooks).
     */
    post: operations['retryWebhookDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description What went wrong. */
    Error: {
      /**
       * @description Machine-readable error code
       * @example route_not_found
       */
      code: string;
      /**
       * @description Human-readable description
       * @example The path does not exist.
       */
      message: string;
      /**
       * Format: int32
       * @description The HTTP status code
       * @example 404
       */
      status: number;
    };
    /** @enum {string} */
    PetStatus: 'available' | 'pending' | 'sold';
    /** @description An animal of the store. */
    Animal: {
      /**
       * Format: int64
       * @description The service sets it on creation.
       * @example 1
       */
      id: bigint;
      /** @example Rex */
      name: string;
      /**
       * Format: int64
       * @description The category the animal belongs to.
       * @example 7
       */
      categoryId: bigint;
      /** @example available */
      status?: components['schemas']['PetStatus'];
    };
    /** @description An animal to add. The service sets its id. */
    NewAnimal: {
      /**
       * @description 1 to 255 characters after trimming: any Unicode except control characters and lone surrogates. Stored as sent, without the surrounding blanks.
       * @example Rex
       */
      name: string;
      /**
       * Format: int64
       * @description The category the animal belongs to: any int64.
       * @example 7
       */
      categoryId: bigint;
      /** @example available */
      status?: components['schemas']['PetStatus'];
    };
    /** @enum {string} */
    OrderStatus: 'placed' | 'completed' | 'cancelled';
    /** @description An order for one animal. */
    Order: {
      /**
       * Format: int64
       * @description The service sets it when the order is placed.
       * @example 1
       */
      id: bigint;
      /**
       * Format: int64
       * @description The animal that is ordered.
       * @example 1
       */
      petId: bigint;
      /** @example placed */
      status: components['schemas']['OrderStatus'];
      /**
       * Format: date-time
       * @description When the order was placed, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      placedAt: string;
      /**
       * Format: date-time
       * @description When the status last changed, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      updatedAt: string;
    };
    /** @description An order to place. The service sets its id. */
    NewOrder: {
      /**
       * Format: int64
       * @description The animal to order. It must be available.
       * @example 1
       */
      petId: bigint;
    };
    /** @enum {string} */
    PlanName: 'free' | 'pro' | 'business' | 'enterprise';
    /** @description A time in which requests are counted. */
    UsageWindow: {
      /**
       * Format: int32
       * @description The requests that the plan of your key allows in it.
       * @example 60
       */
      limit: number;
      /**
       * Format: int32
       * @description The requests of all keys of your account.
       * @example 60
       */
      used: number;
      /**
       * Format: int32
       * @description The requests that your key has left. During a ban none succeeds.
       * @example 0
       */
      left: number;
      /**
       * Format: date-time
       * @description When it starts anew, in UTC; null when none is running.
       * @example 2026-03-14T12:01:00.000Z
       */
      resetsAt: string | null;
    };
    /** @description Your key continued after 429s, and its requests are refused. */
    UsageBan: {
      /**
       * Format: date-time
       * @description When it began, in UTC.
       * @example 2026-03-14T12:00:30.000Z
       */
      since: string;
      /**
       * Format: date-time
       * @description When it ends, in UTC.
       * @example 2026-03-14T12:01:30.000Z
       */
      until: string;
      /**
       * @description What led to it.
       * @example 30 requests were refused within a minute.
       */
      reason: string;
    };
    /** @description The calls of a deprecated operation. */
    DeprecatedCalls: {
      /**
       * @description The id of the operation in the OpenAPI document.
       * @example getPet
       */
      operation: string;
      /**
       * @description The ids of the keys that have called it most, the first one most often.
       * @example [
       *       "key_0123456789abcdef"
       *     ]
       */
      keyIds: string[];
      /**
       * Format: int32
       * @description How many in the last 30 days.
       * @example 7
       */
      calls: number;
      /**
       * Format: date
       * @description The day of the last one.
       * @example 2026-03-14
       */
      lastDay: string;
    };
    /** @description What your account has used. */
    Usage: {
      /**
       * @description The id of your key, by which it is rotated and revoked.
       * @example key_0123456789abcdef
       */
      keyId: string;
      /** @example free */
      plan: components['schemas']['PlanName'];
      minute: components['schemas']['UsageWindow'];
      /**
       * @example {
       *       "limit": 1000,
       *       "used": 312,
       *       "left": 688,
       *       "resetsAt": "2026-03-15T00:00:00.000Z"
       *     }
       */
      day: components['schemas']['UsageWindow'];
      /** @description Missing without a ban. */
      ban?: components['schemas']['UsageBan'];
      deprecatedCalls: components['schemas']['DeprecatedCalls'][];
    };
    /**
     * @description What the key may do; null for everything.
     * @enum {string}
     */
    Scope:
      | 'pets:read'
      | 'pets:write'
      | 'orders:read'
      | 'orders:write'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'keys:manage';
    /** @description A key of your account, without its text. */
    Key: {
      /**
       * @description Names the key; it is no secret.
       * @example key_0123456789abcdef
       */
      id: string;
      /**
       * @description What the key is for.
       * @example Till
       */
      name: string;
      /** @example free */
      plan: components['schemas']['PlanName'];
      /**
       * Format: int32
       * @description The requests a minute that the plan allows.
       * @example 60
       */
      perMinute: number;
      /**
       * Format: int32
       * @description The requests a day that the plan allows.
       * @example 1000
       */
      perDay: number;
      /**
       * @description What the key may do; null for everything.
       * @example [
       *       "pets:read"
       *     ]
       */
      scopes: components['schemas']['Scope'][] | null;
      /**
       * Format: date-time
       * @description When it was made, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * @description The key that made it; null when the operator did.
       * @example null
       */
      createdBy: string | null;
      /**
       * Format: date-time
       * @description When it stops working, in UTC.
       * @example null
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When it was revoked, in UTC.
       * @example null
       */
      revokedAt: string | null;
      /**
       * @description The key that replaces it.
       * @example null
       */
      replacedBy: string | null;
    };
    /** @description A new key. Its text is in this response and nowhere else. */
    IssuedKey: {
      /**
       * @description Names the key; it is no secret.
       * @example key_0123456789abcdef
       */
      id: string;
      /**
       * @description What the key is for.
       * @example Till
       */
      name: string;
      /** @example free */
      plan: components['schemas']['PlanName'];
      /**
       * Format: int32
       * @description The requests a minute that the plan allows.
       * @example 60
       */
      perMinute: number;
      /**
       * Format: int32
       * @description The requests a day that the plan allows.
       * @example 1000
       */
      perDay: number;
      /**
       * @description What the key may do; null for everything.
       * @example [
       *       "pets:read"
       *     ]
       */
      scopes: components['schemas']['Scope'][] | null;
      /**
       * Format: date-time
       * @description When it was made, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * @description The key that made it; null when the operator did.
       * @example null
       */
      createdBy: string | null;
      /**
       * Format: date-time
       * @description When it stops working, in UTC.
       * @example null
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When it was revoked, in UTC.
       * @example null
       */
      revokedAt: string | null;
      /**
       * @description The key that replaces it.
       * @example null
       */
      replacedBy: string | null;
      /**
       * @description The key itself: a secret.
       * @example ask_live_0000000000000000000000000000000000000a
       */
      key: string;
    };
    /** @description A key to make. What is left out is as with the key that makes it. */
    NewKey: {
      /**
       * @description What the key is for.
       * @example Till
       */
      name: string;
      /** @example free */
      plan?: components['schemas']['PlanName'];
      /**
       * @description What the key may do.
       * @example [
       *       "pets:read"
       *     ]
       */
      scopes?: components['schemas']['Scope'][];
      /**
       * Format: date-time
       * @description When the key stops working.
       * @example 2027-03-14T12:00:00Z
       */
      expiresAt?: string;
    };
    /** @description A key that is revoked, and what it has made. */
    RevokedKey: {
      /**
       * @description Names the key; it is no secret.
       * @example key_0123456789abcdef
       */
      id: string;
      /**
       * @description What the key is for.
       * @example Till
       */
      name: string;
      /** @example free */
      plan: components['schemas']['PlanName'];
      /**
       * Format: int32
       * @description The requests a minute that the plan allows.
       * @example 60
       */
      perMinute: number;
      /**
       * Format: int32
       * @description The requests a day that the plan allows.
       * @example 1000
       */
      perDay: number;
      /**
       * @description What the key may do; null for everything.
       * @example [
       *       "pets:read"
       *     ]
       */
      scopes: components['schemas']['Scope'][] | null;
      /**
       * Format: date-time
       * @description When it was made, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * @description The key that made it; null when the operator did.
       * @example null
       */
      createdBy: string | null;
      /**
       * Format: date-time
       * @description When it stops working, in UTC.
       * @example null
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When it was revoked, in UTC.
       * @example null
       */
      revokedAt: string | null;
      /**
       * @description The key that replaces it.
       * @example null
       */
      replacedBy: string | null;
      /**
       * Format: int32
       * @description How many keys that it has made, directly or by one of those, were revoked with it.
       * @example 0
       */
      revokedDescendants: number;
      /**
       * @description Keys that it has made and that work or are suspended. `descendants=true` revokes them, too.
       * @example []
       */
      remainingDescendants: string[];
    };
    /** @enum {string} */
    AnimalEventType: 'animal.added' | 'animal.status_changed';
    /** @description It is sent as animal.added, animal.status_changed. */
    AnimalEvent: {
      /** @example animal.added */
      type: components['schemas']['AnimalEventType'];
      /**
       * Format: int32
       * @description Of its data.
       * @example 1
       */
      version: number;
      /**
       * Format: date-time
       * @description When it happened, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      timestamp: string;
      /** @description As it was after the event. */
      data: components['schemas']['Animal'];
    };
    /** @enum {string} */
    OrderEventType: 'order.placed' | 'order.completed' | 'order.cancelled';
    /** @description It is sent as order.placed, order.completed, order.cancelled. */
    OrderEvent: {
      /** @example order.placed */
      type: components['schemas']['OrderEventType'];
      /**
       * Format: int32
       * @description Of its data.
       * @example 1
       */
      version: number;
      /**
       * Format: date-time
       * @description When it happened, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      timestamp: string;
      /** @description As it was after the event. */
      data: components['schemas']['Order'];
    };
    /** @enum {string} */
    TestEventType: 'webhook.test';
    /** @description It is sent as webhook.test. */
    TestEvent: {
      /** @example webhook.test */
      type: components['schemas']['TestEventType'];
      /**
       * Format: int32
       * @description Of its data.
       * @example 1
       */
      version: number;
      /**
       * Format: date-time
       * @description When it happened, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      timestamp: string;
      /** @example {} */
      data: Record<string, never>;
    };
    /** @enum {string} */
    WebhookEvent:
      'animal.added' | 'animal.status_changed' | 'order.placed' | 'order.completed' | 'order.cancelled';
    /** @description Something that has happened, as webhooks are notified of it. */
    Event: {
      /**
       * @description The `webhook-id` of each request that has it.
       * @example evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70
       */
      id: string;
      /** @example order.placed */
      type: components['schemas']['WebhookEvent'];
      /**
       * Format: date-time
       * @description When it happened, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * @description The body of each request that has it, byte for byte: JSON.
       * @example {"type":"order.placed","version":1,"timestamp":"2026-03-14T12:00:00.000Z","data":{"id":1}}
       */
      body: string;
    };
    /**
     * @description A `pending` webhook is notified of nothing until its receiver has responded to a test with a success. A `disabled` one is notified of no new events until a test, or a retry, arrives.
     * @enum {string}
     */
    WebhookStatus: 'pending' | 'enabled' | 'disabled';
    /**
     * @description Why it was disabled: nothing had arrived for five days (`failing`), the receiver had refused everything for a day (`refused`), responded with 410 (`gone`), or was too slow for what is pending (`behind`); or the key of the webhook does not work any more (`no_key`), or may not read its events (`insufficient_scope`).
     * @enum {string}
     */
    DisabledReason: 'failing' | 'refused' | 'gone' | 'behind' | 'no_key' | 'insufficient_scope';
    /** @description Where an account is notified of events. */
    Webhook: {
      /**
       * Format: int64
       * @description The service sets it when the webhook is created.
       * @example 1
       */
      id: bigint;
      /** @example https://shop.example/webhooks */
      url: string;
      /**
       * @example [
       *       "animal.added",
       *       "order.placed"
       *     ]
       */
      events: components['schemas']['WebhookEvent'][];
      /**
       * @description A `pending` webhook is notified of nothing until its receiver has responded to a test with a success. A `disabled` one is notified of no new events until a test, or a retry, arrives.
       * @example enabled
       */
      status: components['schemas']['WebhookStatus'];
      /**
       * @description The id of the key that made it. It ends with that key, unless a test makes another one its owner.
       * @example key_0123456789abcdef
       */
      createdBy: string | null;
      /**
       * Format: date-time
       * @description In UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description Since when nothing has arrived although it was tried; null while deliveries arrive.
       * @example null
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description Until when nothing is sent, as the receiver requested that or has failed; null when it is not paused.
       * @example null
       */
      pausedUntil: string | null;
      /**
       * Format: date-time
       * @description When it was disabled.
       * @example null
       */
      disabledAt: string | null;
      /**
       * @description Why it was disabled: nothing had arrived for five days (`failing`), the receiver had refused everything for a day (`refused`), responded with 410 (`gone`), or was too slow for what is pending (`behind`); or the key of the webhook does not work any more (`no_key`), or may not read its events (`insufficient_scope`).
       * @example null
       */
      disabledReason: components['schemas']['DisabledReason'] | null;
    };
    /** @description A webhook with its newest secret, which is shown only here. */
    WebhookWithSecret: {
      /**
       * Format: int64
       * @description The service sets it when the webhook is created.
       * @example 1
       */
      id: bigint;
      /** @example https://shop.example/webhooks */
      url: string;
      /**
       * @example [
       *       "animal.added",
       *       "order.placed"
       *     ]
       */
      events: components['schemas']['WebhookEvent'][];
      /**
       * @description A `pending` webhook is notified of nothing until its receiver has responded to a test with a success. A `disabled` one is notified of no new events until a test, or a retry, arrives.
       * @example enabled
       */
      status: components['schemas']['WebhookStatus'];
      /**
       * @description The id of the key that made it. It ends with that key, unless a test makes another one its owner.
       * @example key_0123456789abcdef
       */
      createdBy: string | null;
      /**
       * Format: date-time
       * @description In UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description Since when nothing has arrived although it was tried; null while deliveries arrive.
       * @example null
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description Until when nothing is sent, as the receiver requested that or has failed; null when it is not paused.
       * @example null
       */
      pausedUntil: string | null;
      /**
       * Format: date-time
       * @description When it was disabled.
       * @example null
       */
      disabledAt: string | null;
      /**
       * @description Why it was disabled: nothing had arrived for five days (`failing`), the receiver had refused everything for a day (`refused`), responded with 410 (`gone`), or was too slow for what is pending (`behind`); or the key of the webhook does not work any more (`no_key`), or may not read its events (`insufficient_scope`).
       * @example null
       */
      disabledReason: components['schemas']['DisabledReason'] | null;
      /**
       * @description Signs what is sent, as [Standard Webhooks](https://www.standardwebhooks.com) says.
       * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmKXjlHFc=
       */
      secret: string;
    };
    /** @description A webhook to create. The service sets its id and its secret. */
    NewWebhook: {
      /**
       * @description Where events are sent: in production https; port 443 or 80, a host with a public address, no user name.
       * @example https://shop.example/webhooks
       */
      url: string;
      /**
       * @description What to be notified of.
       * @example [
       *       "animal.added",
       *       "order.placed"
       *     ]
       */
      events: components['schemas']['WebhookEvent'][];
    };
    /** @enum {string} */
    DeliveredEvent:
      | 'animal.added'
      | 'animal.status_changed'
      | 'order.placed'
      | 'order.completed'
      | 'order.cancelled'
      | 'webhook.test';
    /**
     * @description It is `failed` after ten attempts in about three days, or when its webhook was disabled.
     * @enum {string}
     */
    DeliveryStatus: 'pending' | 'delivered' | 'failed';
    /** @description An event on its way to a webhook. */
    Delivery: {
      /**
       * Format: int64
       * @example 1
       */
      id: bigint;
      /**
       * @description The `webhook-id` of every attempt, and of the same event at other webhooks.
       * @example evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70
       */
      eventId: string;
      /** @example order.placed */
      event: components['schemas']['DeliveredEvent'];
      /**
       * @description It is `failed` after ten attempts in about three days, or when its webhook was disabled.
       * @example delivered
       */
      status: components['schemas']['DeliveryStatus'];
      /**
       * Format: int32
       * @description Since it was created, or last retried.
       * @example 1
       */
      attempts: number;
      /**
       * Format: date-time
       * @description Null unless it is `pending`.
       * @example null
       */
      nextAttemptAt: string | null;
      /**
       * Format: int32
       * @description Of the last attempt; null without a response.
       * @example 204
       */
      responseStatus: number | null;
      /**
       * @description Why the last attempt has failed.
       * @example null
       */
      problem: string | null;
      /**
       * Format: date-time
       * @description When the event happened, in UTC.
       * @example 2026-03-14T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When it arrived, or failed.
       * @example 2026-03-14T12:00:00.100Z
       */
      endedAt: string | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: {
    /**
     * @description The id of this request in the log: the one that was sent, or a new one.
     * @example 5f1d7a9c02e4b836-1
     */
    'X-Request-Id': string;
    /**
     * @description The limit of the window that has the fewest requests left.
     * @example 60
     */
    'X-RateLimit-Limit': number;
    /**
     * @description Requests remaining in that window.
     * @example 59
     */
    'X-RateLimit-Remaining': number;
    /**
     * @description Unix timestamp, in seconds, at which that window resets.
     * @example 1795000042
     */
    'X-RateLimit-Reset': bigint;
    /**
     * @description All windows of the plan: `q` requests in `w` seconds (IETF draft 10).
     * @example "minute";q=60;w=60, "day";q=1000;w=86400
     */
    'RateLimit-Policy': string;
    /**
     * @description The current state of all windows: `r` requests remaining, `t` seconds until the reset (IETF draft 10).
     * @example "minute";r=59;t=42, "day";r=998;t=3600
     */
    RateLimit: string;
    /**
     * @description Browsers must use the Content-Type as sent (Fetch standard).
     * @example nosniff
     */
    'X-Content-Type-Options': 'nosniff';
    /**
     * @description Seconds after which to try again (RFC 9110, section 10.2.3).
     * @example 42
     */
    'Retry-After': number;
    /**
     * @description How to authenticate, whether a key was sent that is not valid, or which scopes it lacks (RFC 6750, section 3).
     * @example Bearer realm="animal-store"
     */
    'WWW-Authenticate': string;
    /**
     * @description The URL of the new resource.
     * @example /v1/pets/1
     */
    Location: string;
    /**
     * @description Present when this is the first response to the same `Idempotency-Key`, sent again.
     * @example true
     */
    'Idempotent-Replayed': 'true';
    /**
     * @description A strong entity tag of the resource, for `If-None-Match` and `If-Match` (RFC 9110, section 8.8.3).
     * @example "3q2-7wEyUvGkbOSgQZhX4rC0n5I"
     */
    ETag: string;
    /**
     * @description `private, no-cache`: only the caller may cache the response, and must validate it with `If-None-Match` before using it again. `no-store`: it must not be cached.
     * @example private, no-cache
     */
    'Cache-Control':
      | 'private, no-cache'
      | 'no-store'
      | 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform';
    /**
     * @description The request headers that the response depends on, besides the URL.
     * @example Authorization
     */
    Vary: string;
    /**
     * @description `rel="next"` is the URL of the next page of a list; absent on the last one. On an error, `rel="help"` is its description. On a deprecated operation, `rel="deprecation"`, `rel="sunset"` and `rel="successor-version"` link to more information and to its replacement (RFC 8288).
     * @example </v1/pets?limit=20&cursor=AAAAAAAAABQ2bF9vM1hxRw>; rel="next"
     */
    Link: string;
    /**
     * @description When the operation was deprecated: `@` and a Unix timestamp in seconds (RFC 9745).
     * @example @1795132800
     */
    Deprecation: string;
    /**
     * @description When the operation will be removed: an HTTP date (RFC 8594).
     * @example Thu, 05 Dec 2030 00:00:00 GMT
     */
    Sunset: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listPets: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
        /** @description Only animals with this availability. */
        status?: components['schemas']['PetStatus'];
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Animal'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  createPet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewAnimal'];
      };
    };
    responses: {
      /** @description The new resource. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          Location: components['headers']['Location'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Animal'];
        };
      };
      /**
       * @description - `invalid_json`: The body is not JSON text in UTF-8.
       *     - `validation_failed`: A field is missing, unknown or has an invalid value. The message names each one and its rule.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running. */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `payload_too_large`: The body is too large. */
      413: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `unsupported_media_type`: The body is compressed, or of a type that the operation does not accept. */
      415: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getPet: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The identifier of the animal. */
        petId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Animal'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `pet_not_found`: No animal has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `operation_removed`: The operation has been removed. */
      410: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          Deprecation: components['headers']['Deprecation'];
          Sunset: components['headers']['Sunset'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  listOrders: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
        /** @description Only orders with one of these statuses: `status=placed&status=completed`. */
        status?: components['schemas']['OrderStatus'][];
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Order'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  placeOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewOrder'];
      };
    };
    responses: {
      /** @description The new resource. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          Location: components['headers']['Location'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Order'];
        };
      };
      /**
       * @description - `invalid_json`: The body is not JSON text in UTF-8.
       *     - `validation_failed`: A field is missing, unknown or has an invalid value. The message names each one and its rule.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       *     - `unknown_pet`: No animal has this `petId`.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running.
       *     - `pet_not_available`: The animal is not available.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `payload_too_large`: The body is too large. */
      413: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `unsupported_media_type`: The body is compressed, or of a type that the operation does not accept. */
      415: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The identifier of the order. */
        orderId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Order'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `order_not_found`: No order of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  completeOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource: the response is 412, and nothing happens, when it has changed. */
        'If-Match'?: string;
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The identifier of the order. */
        orderId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The changed resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Order'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: The `If-Match` is not a list of entity tags.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `order_not_found`: No order of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running.
       *     - `order_not_open`: The order is completed or cancelled already.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `precondition_failed`: The resource does not have the `ETag` of the `If-Match`: it has changed. */
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  cancelOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of the resource: the response is 412, and nothing happens, when it has changed. */
        'If-Match'?: string;
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The identifier of the order. */
        orderId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The changed resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Order'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: The `If-Match` is not a list of entity tags.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `order_not_found`: No order of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running.
       *     - `order_not_open`: The order is completed or cancelled already.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `precondition_failed`: The resource does not have the `ETag` of the `If-Match`: it has changed. */
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getUsage: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Usage'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Key'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewKey'];
      };
    };
    responses: {
      /** @description The new resource. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          Location: components['headers']['Location'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
      /**
       * @description - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `invalid_json`: The body is not JSON text in UTF-8.
       *     - `validation_failed`: A field is missing, unknown or has an invalid value. The message names each one and its rule.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `insufficient_scope`: The API key does not have a scope that the operation needs.
       *     - `exceeds_own_key`: The key would have more rights, such as scopes or a larger plan, or a later expiry than the key that makes it.
       */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `inactive_api_key`: The key, or the acting one, is expired, revoked or already replaced.
       *     - `too_many_keys`: The account has as many active keys as it may make itself, or has made as many in a day.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `payload_too_large`: The body is too large. */
      413: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `unsupported_media_type`: The body is compressed, or of a type that the operation does not accept. */
      415: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the key. */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Key'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `api_key_not_found`: No key of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  revokeKey: {
    parameters: {
      query?: {
        /** @description Whether the keys that it has made, directly or by one of those, are revoked with it. */
        descendants?: boolean;
      };
      header?: never;
      path: {
        /** @description The id of the key. */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The changed resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedKey'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `insufficient_scope`: The API key does not have a scope that the operation needs.
       *     - `exceeds_own_key`: The key would have more rights, such as scopes or a larger plan, or a later expiry than the key that makes it.
       */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `api_key_not_found`: No key of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `inactive_api_key`: The key, or the acting one, is expired, revoked or already replaced. */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  rotateKey: {
    parameters: {
      query?: {
        /** @description How many seconds the old key still works; with 0 it is revoked. A day unless given. */
        graceSeconds?: number;
      };
      header?: never;
      path: {
        /** @description The id of the key. */
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new resource. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          Location: components['headers']['Location'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `insufficient_scope`: The API key does not have a scope that the operation needs.
       *     - `exceeds_own_key`: The key would have more rights, such as scopes or a larger plan, or a later expiry than the key that makes it.
       */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `api_key_not_found`: No key of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `inactive_api_key`: The key, or the acting one, is expired, revoked or already replaced.
       *     - `own_key_needs_grace`: A key would replace itself without a grace period.
       *     - `too_many_keys`: The account has as many active keys as it may make itself, or has made as many in a day.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
        /** @description Only events of this type. It may be given several times. Without it all that the key may read. */
        type?: components['schemas']['WebhookEvent'][];
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getEvent: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the event. */
        eventId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Event'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `event_not_found`: No event that the account may read has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Only the API key that sent the first request gets it, as it shows a secret. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewWebhook'];
      };
    };
    responses: {
      /** @description The new resource. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          Location: components['headers']['Location'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecret'];
        };
      };
      /**
       * @description - `invalid_json`: The body is not JSON text in UTF-8.
       *     - `validation_failed`: A field is missing, unknown or has an invalid value. The message names each one and its rule.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       *     - `validation_failed`: Webhooks may not be sent to the `url`.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `insufficient_scope`: The API key does not have a scope that the operation needs.
       *     - `insufficient_scope`: The API key does not have a scope that the operation needs.
       */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running.
       *     - `first_response_withheld`: Another API key of the account has done this with the same `Idempotency-Key`, and the response shows a secret.
       *     - `too_many_webhooks`: The account has as many webhooks as it may have.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `payload_too_large`: The body is too large. */
      413: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `unsupported_media_type`: The body is compressed, or of a type that the operation does not accept. */
      415: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `webhook_not_found`: No webhook of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `invalid_parameter`: The query has a parameter; the operation accepts none.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `webhook_not_found`: No webhook of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Only the API key that sent the first request gets it, as it shows a secret. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The changed resource. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecret'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `webhook_not_found`: No webhook of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running.
       *     - `first_response_withheld`: Another API key of the account has done this with the same `Idempotency-Key`, and the response shows a secret.
       */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will be processed later. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `webhook_not_found`: No webhook of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running. */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Where the page starts. Copy it unchanged from the `Link` header of the previous page. It is opaque. */
        cursor?: string;
        /** @description Only deliveries with it. */
        status?: components['schemas']['DeliveryStatus'];
      };
      header?: {
        /** @description The `ETag` of a cached response: when it is still current, the response is 304 without a body. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'][];
        };
      };
      /** @description The cached response is still current. */
      304: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          ETag: components['headers']['ETag'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: A parameter is unknown, invalid, empty or repeated. The message names it and its rule.
       *     - `invalid_cursor`: The cursor was altered or is from another list or filter.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `webhook_not_found`: No webhook of this account has this id. */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  retryWebhookDelivery: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe: for 24 hours the same key with the same input gets the first response again, marked `Idempotent-Replayed: true`, and nothing else happens. Another API key of the account gets it too. 1 to 255 visible ASCII characters, bare or in double quotes. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The identifier of the webhook. */
        webhookId: bigint;
        /** @description The identifier of the delivery. */
        deliveryId: bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will be processed later. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
      /**
       * @description - `bad_request`: The path contains a malformed percent-escape.
       *     - `validation_failed`: The request has a body; the operation accepts none.
       *     - `invalid_parameter`: The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.
       */
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `missing_api_key`: No API key was sent.
       *     - `invalid_api_key`: The key is unknown, expired or revoked, or belongs to another environment.
       */
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `insufficient_scope`: The API key does not have a scope that the operation needs. */
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'WWW-Authenticate': components['headers']['WWW-Authenticate'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `webhook_not_found`: No webhook of this account has this id.
       *     - `delivery_not_found`: No delivery of this webhook has this id.
       */
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `request_timeout`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_in_progress`: A request with the same `Idempotency-Key` is still running. */
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          /**
           * @description Seconds after which to try again (RFC 9110, section 10.2.3).
           * @example 42
           */
          'Retry-After'?: number;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `idempotency_key_reused`: The `Idempotency-Key` was used for another request. */
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `rate_limit_exceeded`: The requests of this minute are used up.
       *     - `daily_quota_exceeded`: The requests of this day (UTC) are used up.
       *     - `api_key_banned`: The caller continued after 429s and is banned temporarily.
       */
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description `internal_error`: The service failed. Its log has the cause under the `X-Request-Id`. */
      500: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /**
       * @description - `service_unavailable`: The queue of API keys to look up is full.
       *     - `service_unavailable`: The database of the service cannot be used.
       */
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit'];
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining'];
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          RateLimit: components['headers']['RateLimit'];
          'X-Content-Type-Options': components['headers']['X-Content-Type-Options'];
          'Cache-Control': components['headers']['Cache-Control'];
          Link: components['headers']['Link'];
          'Retry-After': components['headers']['Retry-After'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
}
