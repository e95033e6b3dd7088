import type { EventDeclaration } from '@animal-store/openapi';
import { orderEvents } from './orders/http/order-events.js';
import { animalEvents } from './pets/http/animal-events.js';

/** Every event that webhooks can get, by context. */
export const events: readonly EventDeclaration[] = [...animalEvents, ...orderEvents];
