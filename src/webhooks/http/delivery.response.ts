import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field, TextField } from '@animal-store/openapi';
import { type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery.js';
import { TEST_EVENT, WEBHOOK_EVENTS } from '../domain/webhook-event.js';
import { instantOrNull } from './webhook.response.js';

@ApiSchema({ name: 'Delivery', description: 'An event on its way to a webhook.' })
export class DeliveryResponse {
  @Int64Field({ minimum: 1n, example: 1 })
  id: bigint;

  @TextField({
    maxLength: 40,
    pattern: '^evt_[0-9a-f-]{36}$',
    description: 'The `webhook-id` of every try, and of the same event at other webhooks.',
    example: 'evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70',
  })
  eventId: string;

  @EnumField([...WEBHOOK_EVENTS, TEST_EVENT], { name: 'DeliveredEvent', example: 'order.placed' })
  event: Delivery['event'];

  @EnumField(DELIVERY_STATUSES, {
    name: 'DeliveryStatus',
    description: 'It is `failed` after ten tries in about three days, or when its webhook was disabled.',
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
  tries: number;

  @InstantField({ nullable: true, description: 'Null unless it is `pending`.', example: null })
  nextTryAt: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    nullable: true,
    minimum: 100,
    maximum: 999,
    description: 'Of the last try; null without a response.',
    example: 204,
  })
  responseStatus: number | null;

  @TextField({
    nullable: true,
    maxLength: 200,
    pattern: '^[ -~]*$',
    description: 'Why the last try has failed.',
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

export function toDeliveryResponse(delivery: Delivery): DeliveryResponse {
  const { id, eventId, event, status, tries, responseStatus, problem } = delivery;
  const { nextTryAtMs, createdAtMs, endedAtMs } = delivery;
  return {
    id,
    eventId,
    event,
    status,
    tries,
    nextTryAt: instantOrNull(nextTryAtMs),
    responseStatus,
    problem,
    createdAt: new Date(createdAtMs).toISOString(),
    endedAt: instantOrNull(endedAtMs),
  };
}
