import { accessSchema } from './access/infrastructure/access.schema.js';
import { ordersSchema } from './orders/infrastructure/orders.schema.js';
import { petsSchema } from './pets/infrastructure/pets.schema.js';
import type { Schema } from './platform/database/data-source.js';
import { idempotencySchema } from './platform/idempotency/infrastructure/idempotency.schema.js';

/** All that the service keeps in its database, context by context. */
export const schemas: readonly Schema[] = [accessSchema, petsSchema, idempotencySchema, ordersSchema];
