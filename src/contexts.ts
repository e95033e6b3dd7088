import type { Scope } from '@animal-store/api-keys';
import type { Tables } from '@animal-store/database';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { jobsTables } from '@animal-store/jobs';
import { keyScopes } from './access/http/key-scopes.js';
import { accessTables } from './access/infrastructure/access.tables.js';
import { orderScopes } from './orders/http/order-scopes.js';
import { ordersTables } from './orders/infrastructure/orders.tables.js';
import { petScopes } from './pets/http/pet-scopes.js';
import { petsTables } from './pets/infrastructure/pets.tables.js';
import { webhookScopes } from './webhooks/http/webhook-scopes.js';
import { webhooksTables } from './webhooks/infrastructure/webhooks.tables.js';

/** Every table of the service, context by context. */
export const tables: readonly Tables[] = [
  accessTables,
  petsTables,
  idempotencyTables,
  ordersTables,
  jobsTables,
  webhooksTables,
];

/** What keys may be allowed to do, context by context. */
export const scopes: readonly Scope[] = [...petScopes, ...orderScopes, ...webhookScopes, ...keyScopes];
