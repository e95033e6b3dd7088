import { accessTables } from './access/infrastructure/access.tables.js';
import { ordersTables } from './orders/infrastructure/orders.tables.js';
import { petsTables } from './pets/infrastructure/pets.tables.js';
import type { Tables } from './platform/database/data-source.js';
import { idempotencyTables } from './platform/idempotency/infrastructure/idempotency.tables.js';

/** Every table of the service, context by context. */
export const tables: readonly Tables[] = [accessTables, petsTables, idempotencyTables, ordersTables];
