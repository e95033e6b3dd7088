import { ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, TextField } from '@animal-store/openapi';
import type { StoredEvent } from '../domain/event.js';
import { EVENT_NAMES, EventIdField } from './webhook-fields.js';

const AT = '2026-03-14T12:00:00.000Z';

@ApiSchema({ name: 'Event', description: 'Something that has happened, as webhooks are notified of it.' })
export class EventResponse {
  @EventIdField('The `webhook-id` of each request that has it.')
  id: string;

  @EnumField(EVENT_NAMES, { name: 'WebhookEvent', example: 'order.placed' })
  type: string;

  @InstantField({ description: 'When it happened, in UTC.', example: AT })
  createdAt: string;

  @TextField({
    maxLength: 65_536,
    pattern: '^\\{',
    description: 'The body of each request that has it, byte for byte: JSON.',
    example: `{"type":"order.placed","version":1,"timestamp":"${AT}","data":{"id":1}}`,
  })
  body: string;
}

export function toEventResponse({ eventId, type, createdAtMs, body }: StoredEvent): EventResponse {
  return { id: eventId, type, createdAt: new Date(createdAtMs).toISOString(), body };
}
