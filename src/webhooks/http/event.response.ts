import { ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { applyDecorators, type Type } from '@nestjs/common';
import { EnumField, type EventDeclaration, InstantField, TextField, Webhooks } from '@animal-store/openapi';
import { events } from '../../events.js';
import { type StoredEvent, TEST_EVENT } from '../domain/event.js';
import { EVENT_NAMES } from './webhook.response.js';

const AT = '2026-03-14T12:00:00.000Z';
const EVENT_ID = 'evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70';
const DETAILS =
  'At least once: it is sent again until the response is 2xx, ten times in about three days, in any order with other events.';

@ApiSchema({ name: 'Event', description: 'Something that has happened, as webhooks are told.' })
export class EventResponse {
  @TextField({
    maxLength: 40,
    pattern: '^evt_[0-9a-f-]{36}$',
    description: 'The `webhook-id` of each request that has it.',
    example: EVENT_ID,
  })
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

/** What is sent of the events whose data has one class. */
function sentClass(resource: string, types: readonly string[], data: object): Type {
  @ApiSchema({ name: `${resource}Event`, description: `It is sent as ${types.join(', ')}.` })
  class SentEvent {
    @EnumField(types, { name: `${resource}EventType`, example: types[0] })
    type: string;

    @ApiProperty({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1_000,
      description: 'Of its data.',
      example: 1,
    })
    version: number;

    @InstantField({ description: 'When it happened, in UTC.', example: AT })
    timestamp: string;

    @ApiProperty(data)
    data: object;
  }
  return SentEvent;
}

/** Describes what is sent to webhooks, as the contexts declare it. */
export function DescribeEvents(): ClassDecorator {
  const byResponse = new Map<Type, EventDeclaration[]>();
  for (const event of events)
    byResponse.set(event.response, [...(byResponse.get(event.response) ?? []), event]);
  const sent = (name: string, version: number, summary: string, body: Type, data: object) =>
    [
      name,
      { summary, description: DETAILS, body, example: { type: name, version, timestamp: AT, data } },
    ] as const;
  const all = [...byResponse].map(([response, declared]) => {
    const $ref = getSchemaPath(response);
    const data = { allOf: [{ $ref }], description: 'As it became.' };
    const body = sentClass(
      $ref.split('/').at(-1)!,
      declared.map(({ name }) => name),
      data,
    );
    return declared.map(({ name, version, summary, example }) => sent(name, version, summary, body, example));
  });
  const noData = { type: 'object', additionalProperties: false, properties: {}, example: {} } as const;
  const test = sentClass('Test', [TEST_EVENT], noData);
  const described = [...all.flat(), sent(TEST_EVENT, 1, 'Somebody tests the webhook', test, {})];
  const bodies = new Set(described.map(([, { body }]) => body));
  return applyDecorators(
    Webhooks(Object.fromEntries(described)),
    ApiExtraModels(...bodies, ...byResponse.keys()),
  );
}
