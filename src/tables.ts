import type { Tables } from '@animal-store/database';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { jobsTables } from '@animal-store/jobs';
import { accessTables } from './access/infrastructure/access.tables.js';
import { ordersTables } from './orders/infrastructure/orders.tables.js';
import { petsTables } from './pets/infrastructure/pets.tables.js';
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
