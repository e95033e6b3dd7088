import type { Scope } from '@animal-store/api-keys';
import { keyScopes } from './access/http/key-scopes.js';
import { orderScopes } from './orders/http/order-scopes.js';
import { petScopes } from './pets/http/pet-scopes.js';
import { webhookScopes } from './webhooks/http/webhook-scopes.js';

/** What keys may be allowed to do, context by context. */
export const scopes: readonly Scope[] = [...petScopes, ...orderScopes, ...webhookScopes, ...keyScopes];
