import type { ServerResponse } from 'node:http';
import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { Caller, InsufficientScope, RequireScope } from '@animal-store/api-keys';
import { IdPipe, ListDto, requestedList, showCreated, showPage } from '@animal-store/web';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation, Tag } from '@animal-store/openapi';
import type { KeyFacts } from '../../access/key-facts.js';
import { OwnWebhooks } from '../application/own-webhooks.service.js';
import { EventTypes, TEST_EVENT } from '../domain/event.js';
import {
  DeliveryNotFound,
  InvalidWebhook,
  TooManyWebhooks,
  WebhookNotFound,
} from '../domain/webhook.errors.js';
import { DeliveryResponse, toDeliveryResponse } from './delivery.response.js';
import { requireEventScopes } from './webhook-scopes.js';
import { ListDeliveriesDto, NewWebhookDto } from './webhook.dto.js';
import {
  toWebhookResponse,
  toWebhookWithSecret,
  WebhookResponse,
  WebhookWithSecretResponse,
} from './webhook.response.js';

const PATH = '/v1/webhooks';
const WebhookId = Param('webhookId', new IdPipe(WebhookNotFound));

/** The example of a delivery that was only now requested. */
const BEGUN = {
  status: 'pending',
  attempts: 0,
  nextAttemptAt: '2026-03-14T12:30:00.000Z',
  responseStatus: null,
  endedAt: null,
};

/** Every operation works on the webhooks of the caller's account only. */
@Tag('Webhooks', 'Where an account is notified of events. An account sees only its own webhooks.')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(
    private readonly webhooks: OwnWebhooks,
    private readonly types: EventTypes,
  ) {}

  @Get()
  @RequireScope('webhooks:read')
  @Operation({
    summary: 'List webhooks',
    description: 'Your webhooks in ascending order of id. A disabled one says since when.',
    response: { page: WebhookResponse },
  })
  async listWebhooks(
    @Caller() { account }: KeyFacts,
    @Query() query: ListDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly WebhookResponse[]> {
    const list = requestedList(PATH, query);
    return showPage(response, await this.webhooks.list(account, list.page), list, toWebhookResponse);
  }

  @Post()
  @RequireScope('webhooks:write')
  @Operation({
    summary: 'Create a webhook',
    description:
      'It is `pending` until its receiver has responded to a `webhook.test` with a success: one is sent at once, and again for a day. Events from then on, and from five seconds after the response on, are sent there. The key must have the scopes that read these events, as long as the webhook is to be notified of them. The `secret` is shown only now: with an `Idempotency-Key`, a retry with the same key gets it again for 24 hours.',
    response: { created: WebhookWithSecretResponse },
    example: { status: 'pending' },
    errors: [InvalidWebhook, InsufficientScope, TooManyWebhooks],
  })
  @Idempotent({ replayTo: 'key' })
  async createWebhook(
    @Caller() caller: Caller<KeyFacts>,
    @Body() { url, events }: NewWebhookDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<WebhookWithSecretResponse> {
    requireEventScopes(this.types, events, caller, response);
    const { account, keyId: createdBy } = caller;
    const webhook = await this.webhooks.create({ account, createdBy, url, events });
    return showCreated(response, PATH, toWebhookWithSecret(webhook));
  }

  @Get(':webhookId')
  @RequireScope('webhooks:read')
  @Operation({
    summary: 'Get a webhook',
    description: 'One of your webhooks.',
    response: { item: WebhookResponse },
  })
  async getWebhook(@Caller() { account }: KeyFacts, @WebhookId webhookId: bigint): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.get(account, webhookId));
  }

  @Delete(':webhookId')
  @RequireScope('webhooks:write')
  @Operation({
    summary: 'Delete a webhook',
    description: 'What has not arrived yet is not sent any more.',
    response: 'nothing',
  })
  deleteWebhook(@Caller() { account }: KeyFacts, @WebhookId webhookId: bigint): Promise<void> {
    return this.webhooks.delete(account, webhookId);
  }

  @Post(':webhookId/rotate-secret')
  @RequireScope('webhooks:write')
  @Operation({
    summary: 'Rotate the secret of a webhook',
    description:
      'The new `secret` is shown only now. For 24 hours the previous one signs too, so each request has a signature of both. A retry with another key is refused.',
    response: { changed: WebhookWithSecretResponse },
  })
  @Idempotent({ replayTo: 'key' })
  async rotateWebhookSecret(
    @Caller() { account }: KeyFacts,
    @WebhookId webhookId: bigint,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecret(await this.webhooks.rotateSecret(account, webhookId));
  }

  @Post(':webhookId/test')
  @RequireScope('webhooks:write')
  @Operation({
    summary: 'Test a webhook',
    description:
      'Sends it a `webhook.test` once, also when it is disabled: when that arrives, it is enabled. To a `pending` one it is sent up to seven times in a day. The deliveries show the outcome. A key that may read its events, and works for longer than the owner key, becomes the owner.',
    response: { accepted: DeliveryResponse },
    example: { event: TEST_EVENT, ...BEGUN },
  })
  @Idempotent()
  async testWebhook(
    @Caller() caller: Caller<KeyFacts>,
    @WebhookId webhookId: bigint,
  ): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.webhooks.test(caller.account, webhookId, caller));
  }

  @Get(':webhookId/deliveries')
  @RequireScope('webhooks:read')
  @Operation({
    summary: 'List the deliveries of a webhook',
    description: 'The newest first. Those that have ended are shown for a week.',
    response: { page: DeliveryResponse },
  })
  async listWebhookDeliveries(
    @Caller() { account }: KeyFacts,
    @WebhookId webhookId: bigint,
    @Query() query: ListDeliveriesDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly DeliveryResponse[]> {
    const list = requestedList(`${PATH}/${webhookId}/deliveries`, query);
    const page = await this.webhooks.listDeliveries(account, webhookId, list.filters, list.page);
    return showPage(response, page, list, toDeliveryResponse);
  }

  @Post(':webhookId/deliveries/:deliveryId/retry')
  @RequireScope('webhooks:write')
  @Operation({
    summary: 'Retry a delivery',
    description: 'Sends it again now, whatever its status, with ten attempts and the same `webhook-id`.',
    response: { accepted: DeliveryResponse },
    example: BEGUN,
  })
  @Idempotent()
  async retryWebhookDelivery(
    @Caller() { account }: KeyFacts,
    @WebhookId webhookId: bigint,
    @Param('deliveryId', new IdPipe(DeliveryNotFound)) deliveryId: bigint,
  ): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.webhooks.retry(account, webhookId, deliveryId));
  }
}
