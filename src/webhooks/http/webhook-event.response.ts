import { ApiExtraModels, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { EnumField, InstantField, Webhooks } from '@animal-store/openapi';
import { TEST_EVENT, WEBHOOK_EVENTS } from '../domain/webhook-event.js';

const AT = '2026-03-14T12:00:00.000Z';
const ANIMAL = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const ORDER = { id: 1, petId: 1, status: 'placed', placedAt: AT, updatedAt: AT };

/** The fields of every event. */
class EventResponse {
  @InstantField({ description: 'When it happened, in UTC.', example: AT })
  timestamp: string;
}

@ApiSchema({ name: 'AnimalEvent', description: 'An animal was added, or its status has changed.' })
class AnimalEventResponse extends EventResponse {
  @EnumField(eventsOf('animal'), { name: 'AnimalEventType', example: 'animal.added' })
  type: string;

  @ApiProperty({ allOf: [{ $ref: '#/components/schemas/Animal' }], description: 'The animal, as it became.' })
  data: object;
}

@ApiSchema({ name: 'OrderEvent', description: 'An order of the account was placed, completed or cancelled.' })
class OrderEventResponse extends EventResponse {
  @EnumField(eventsOf('order'), { name: 'OrderEventType', example: 'order.placed' })
  type: string;

  @ApiProperty({ allOf: [{ $ref: '#/components/schemas/Order' }], description: 'The order, as it became.' })
  data: object;
}

@ApiSchema({ name: 'TestEvent', description: 'Somebody tests the webhook.' })
class TestEventResponse extends EventResponse {
  @EnumField([TEST_EVENT], { name: 'TestEventType', example: TEST_EVENT })
  type: string;

  @ApiProperty({ type: 'object', additionalProperties: false, properties: {}, example: {} })
  data: object;
}

function eventsOf(resource: string): string[] {
  return WEBHOOK_EVENTS.filter((event) => event.startsWith(`${resource}.`));
}

const DETAILS =
  'At least once: it is sent again until the response is 2xx, ten times in about three days, in any order with other events.';

function sent(type: string, summary: string, body: typeof EventResponse, data: object) {
  return [type, { summary, description: DETAILS, body, example: { type, timestamp: AT, data } }] as const;
}

/** Describes what is sent to webhooks. */
export function DescribeEvents(): ClassDecorator {
  const events = [
    sent('animal.added', 'An animal was added', AnimalEventResponse, ANIMAL),
    sent('animal.status_changed', 'The status of an animal has changed', AnimalEventResponse, {
      ...ANIMAL,
      status: 'sold',
    }),
    sent('order.placed', 'An order was placed', OrderEventResponse, ORDER),
    sent('order.completed', 'An order was completed', OrderEventResponse, { ...ORDER, status: 'completed' }),
    sent('order.cancelled', 'An order was cancelled', OrderEventResponse, { ...ORDER, status: 'cancelled' }),
    sent(TEST_EVENT, 'Somebody tests the webhook', TestEventResponse, {}),
  ];
  return applyDecorators(
    Webhooks(Object.fromEntries(events)),
    ApiExtraModels(AnimalEventResponse, OrderEventResponse, TestEventResponse),
  );
}
