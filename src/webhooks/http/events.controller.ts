import type { ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { AnyKey, Caller, InsufficientScope } from '@animal-store/api-keys';
import { requestedList, showPage } from '@animal-store/web';
import { Operation, Tag, Webhooks } from '@animal-store/openapi';
import type { KeyFacts } from '../../access/key-facts.js';
import { ReadEvents } from '../application/events/read-events.service.js';
import { events } from '../../events.js';
import { EventTypes, TEST_EVENT } from '../domain/event.js';
import { EventNotFound } from '../domain/webhook.errors.js';
import { EventResponse, toEventResponse } from './event.response.js';
import { EVENT_NAMES, EXAMPLE_ID } from './webhook-fields.js';
import { requireEventScopes } from './webhook-scopes.js';
import { ListEventsDto } from './webhook.dto.js';

const PATH = '/v1/events';
const TEST = {
  name: TEST_EVENT,
  version: 1,
  summary: 'Somebody tests the webhook',
  description: 'Sent on request, and up to seven times in a day to a new webhook, until the response is 2xx.',
  response: null,
  example: {},
};
const EVENT_ID = {
  eventId: {
    description: 'The id of the event.',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[\\w-]+$', example: EXAMPLE_ID },
  },
};

/** What webhooks are notified of, to be read. Which events a key may read is that of their data. */
@AnyKey()
@Tag('Webhooks', 'Where an account is notified of events. An account sees only its own webhooks.')
@Webhooks([...events, TEST], 'Test')
@Controller({ path: 'events', version: '1' })
export class EventsController {
  constructor(
    private readonly events: ReadEvents,
    private readonly types: EventTypes,
  ) {}

  @Get()
  @Operation({
    summary: 'List events',
    description:
      "What you were notified of, or would have been, of the last 30 days, the oldest first, ten seconds after it happened: your own orders, and all animals. Without `type`, all that your key may read. An event is stored while a webhook for it exists, in any status: yours for orders, anybody's for animals.",
    response: { page: EventResponse },
    errors: [InsufficientScope],
  })
  async listEvents(
    @Caller() caller: Caller<KeyFacts>,
    @Query() query: ListEventsDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly EventResponse[]> {
    const { account, scopes } = caller;
    const list = requestedList(PATH, query);
    const readable = EVENT_NAMES.filter((name) => this.types.missingScopes([name], scopes).length === 0);
    const types = query.type ?? (readable.length > 0 ? readable : EVENT_NAMES);
    requireEventScopes(this.types, types, caller, response);
    return showPage(response, await this.events.list(account, types, list.page), list, toEventResponse);
  }

  @Get(':eventId')
  @Operation({
    summary: 'Get an event',
    description: 'One of your events, by the `webhook-id` under which it was sent.',
    response: { item: EventResponse },
    path: EVENT_ID,
    errors: [EventNotFound, InsufficientScope],
  })
  async getEvent(
    @Caller() caller: Caller<KeyFacts>,
    @Param('eventId') eventId: string,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<EventResponse> {
    const event = await this.events.get(caller.account, eventId);
    requireEventScopes(this.types, [event.type], caller, response);
    return toEventResponse(event);
  }
}
