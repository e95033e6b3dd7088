import { randomBytes, randomUUID } from 'node:crypto';
import { WebhookRandom } from '../domain/webhook-random.js';

const SECRET_BYTES = 32;

/** By the random source of the system. */
export class NodeRandom extends WebhookRandom {
  secret(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  eventId(): string {
    return `evt_${randomUUID()}`;
  }
}
