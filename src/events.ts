import type { EventDeclaration } from '@animal-store/openapi';
import { orderEvents } from './orders/http/order-events.js';
import { animalEvents } from './pets/http/animal-events.js';

/**
 * Every event that webhooks can get, context by context. In a file of its own, because responses load what documents
 * them, which would delay each command line.
 */
export const events: readonly EventDeclaration[] = [...animalEvents, ...orderEvents];
