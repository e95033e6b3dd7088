import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field, TextField } from '@animal-store/openapi';
import { type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery.js';
import { TEST_EVENT } from '../domain/event.js';
import { EVENT_NAMES, EventIdField } from './webhook-fields.js';
import { instantOrNull } from './webhook.response.js';

@ApiSchema({ name: 'Delivery', description: 'An event on its way to a webhook.' })
export class DeliveryResponse {
  @Int64Field({ minimum: 1n, example: 1 })
  id: bigint;

  @EventIdField('The `webhook-id` of every attempt, and of the same event at other webhooks.')
  eventId: string;

  @EnumField([...EVENT_NAMES, TEST_EVENT], { name: 'DeliveredEvent', example: 'order.placed' })
  event: string;

  @EnumField(DELIVERY_STATUSES, {
    name: 'DeliveryStatus',
    description: 'It is `failed` after ten attempts in about three days, or when its webhook was disabled.',
    example: 'delivered',
  })
  status: DeliveryStatus;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 10,
    description: 'Since it was created, or last retried.',
    example: 1,
  })
  attempts: number;

  @InstantField({ nullable: true, description: 'Null unless it is `pending`.', example: null })
  nextAttemptAt: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    nullable: true,
    minimum: 100,
    maximum: 999,
    description: 'Of the last attempt; null without a response.',
    example: 204,
  })
  responseStatus: number | null;

  @TextField({
    nullable: true,
    maxLength: 200,
    pattern: '^[ -~]*$',
    description: 'Why the last attempt has failed.',
    example: null,
  })
  problem: string | null;

  @InstantField({ description: 'When the event happened, in UTC.', example: '2026-03-14T12:00:00.000Z' })
  createdAt: string;

  @InstantField({
    nullable: true,
    description: 'When it arrived, or failed.',
    example: '2026-03-14T12:00:00.100Z',
  })
  endedAt: string | null;
}

export function toDeliveryResponse({ event, ...delivery }: Delivery): DeliveryResponse {
  const { id, status, attempts, responseStatus, problem, nextAttemptAtMs, endedAtMs } = delivery;
  return {
    id,
    eventId: event.eventId,
    event: event.type,
    status,
    attempts,
    nextAttemptAt: instantOrNull(nextAttemptAtMs),
    responseStatus,
    problem,
    createdAt: new Date(event.createdAtMs).toISOString(),
    endedAt: instantOrNull(endedAtMs),
  };
}
