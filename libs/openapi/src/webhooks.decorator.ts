import { applyDecorators, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import type { DomainEvent } from '@animal-store/kernel';
import { EnumField, InstantField } from './schemas/fields.js';

const AT = '2026-03-14T12:00:00.000Z';
const DETAILS =
  'At least once: it is sent again until the response is 2xx, ten times in about three days, in any order with other events.';
const NO_DATA = { type: 'object', additionalProperties: false, properties: {}, example: {} } as const;

/**
 * An event for webhooks, declared once by its context. What is sent, to whom, the scope that reads it, the OpenAPI
 * document and the types of the client follow from it.
 */
export interface EventDeclaration<Event extends DomainEvent = DomainEvent> {
  /** The name of the domain event, which is also the type of what is sent. */
  readonly name: string;
  /** A new one means that readers of the previous one cannot read it. */
  readonly version: number;
  readonly summary: string;
  /** The class of its data, as the API shows that. */
  readonly response: Type;
  dataOf(event: Event): object;
  /** The account that may read the event. Left out when every account may. */
  accountOf?(event: Event): string;
  /** The scope of a key that may read it. */
  readonly scope: string;
  /** Fields of its data, where the examples of the class contradict it. */
  readonly example?: object;
}

/** An event as it is sent. One without a response class has no data. */
export type SentEvent = Pick<EventDeclaration, 'name' | 'version' | 'summary' | 'example'> & {
  readonly response: Type | null;
  /** How often it is sent, if unlike others. */
  readonly description?: string;
};

interface WebhookItem extends Pick<SentEvent, 'name' | 'summary' | 'description'> {
  readonly body: Type;
  readonly example: object;
}

const WebhookItems = Reflector.createDecorator<readonly WebhookItem[]>();

/**
 * The events that the service sends: the `webhooks` of the OpenAPI document. It decorates a controller.
 * @param nameOfNoData names the schema of events without data
 */
export function Webhooks(events: readonly SentEvent[], nameOfNoData: string): ClassDecorator {
  const items: WebhookItem[] = [];
  const responses = new Set(events.map(({ response }) => response));
  for (const response of responses) {
    const alike = events.filter((event) => event.response === response);
    const body = sentClass(
      response,
      alike.map(({ name }) => name),
      nameOfNoData,
    );
    for (const { name, version, summary, description, example: data } of alike) {
      const example = { type: name, version, timestamp: AT, ...(data && { data }) };
      items.push({ name, summary, description, body, example });
    }
  }
  responses.delete(null);
  const bodies = new Set(items.map(({ body }) => body));
  return applyDecorators(WebhookItems(items), ApiExtraModels(...bodies, ...([...responses] as Type[])));
}

/** The class of the bodies of those events whose data has one class. */
function sentClass(response: Type | null, types: readonly string[], nameOfNoData: string): Type {
  const $ref = response && getSchemaPath(response);
  const resource = $ref?.split('/').at(-1) ?? nameOfNoData;

  @ApiSchema({ name: `${resource}Event`, description: `It is sent as ${types.join(', ')}.` })
  class Sent {
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

    @ApiProperty($ref ? { allOf: [{ $ref }], description: 'As it was after the event.' } : NO_DATA)
    data: object;
  }
  return Sent;
}

/** The headers of Standard Webhooks. */
const HEADERS = [
  {
    name: 'webhook-id',
    description:
      'Identifies the event. It is the same whenever it is sent again, so what was processed already can be ignored.',
    schema: { type: 'string', maxLength: 64, pattern: '^[\\w-]+$' },
    example: 'evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70',
  },
  {
    name: 'webhook-timestamp',
    description:
      'When it was sent, in seconds since the Unix epoch. Refuse one that is minutes away from now.',
    schema: { type: 'string', maxLength: 20, pattern: '^\\d+$' },
    example: '1773489600',
  },
  {
    name: 'webhook-signature',
    description:
      'Signatures of `<webhook-id>.<webhook-timestamp>.<body>`, separated by spaces: one for each secret that is valid. One must be right.',
    schema: { type: 'string', maxLength: 1_024, pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
] as const;

/** The path items of a controller's webhooks. */
export function webhookItems(reflector: Reflector, controller: Type, tag?: string): object {
  const items = (reflector.get(WebhookItems, controller) ?? []).map((item) => {
    const { name, summary, description = DETAILS, body, example } = item;
    const post = {
      operationId: name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      description,
      tags: tag === undefined ? [] : [tag],
      // The request has no key: its signature says who sends it.
      security: [],
      parameters: HEADERS.map((header) => ({ in: 'header', required: true, ...header })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: getSchemaPath(body) }, example } },
      },
      responses: {
        '2XX': { description: 'It has arrived. The body is ignored.' },
        default: { description: 'It is sent again later. So it is without a response within 10 seconds.' },
      },
    };
    return [name, { post }] as const;
  });
  return Object.fromEntries(items);
}
