import { ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field, TextField } from '@animal-store/openapi';
import { DISABLED_REASONS, type DisabledReason, type Webhook } from '../domain/webhook.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhook-event.js';

@ApiSchema({ name: 'Webhook', description: 'Where an account is told of events.' })
export class WebhookResponse {
  @Int64Field({ minimum: 1n, description: 'The service sets it when the webhook is created.', example: 1 })
  id: bigint;

  @TextField({ maxLength: 2_048, pattern: '^https?://[!-~]+$', example: 'https://shop.example/webhooks' })
  url: string;

  @EnumField(WEBHOOK_EVENTS, {
    name: 'WebhookEvent',
    each: { minItems: 1, maxItems: WEBHOOK_EVENTS.length },
    example: ['animal.added', 'order.placed'],
  })
  events: readonly WebhookEvent[];

  @EnumField(['enabled', 'disabled'], {
    name: 'WebhookStatus',
    description: 'A disabled webhook is told of no new events until a test, or a retry, arrives.',
    example: 'enabled',
  })
  status: 'enabled' | 'disabled';

  @InstantField({ description: 'In UTC.', example: '2026-03-14T12:00:00.000Z' })
  createdAt: string;

  @InstantField({
    nullable: true,
    description: 'Since when nothing has arrived although it was tried; null while deliveries arrive.',
    example: null,
  })
  failingSince: string | null;

  @InstantField({
    nullable: true,
    description: 'When it was disabled.',
    example: null,
  })
  disabledAt: string | null;

  @EnumField(DISABLED_REASONS, {
    name: 'DisabledReason',
    nullable: true,
    description:
      'Why it was disabled: nothing had arrived for five days (`failing`), the receiver responded with 410 (`gone`), or no key of the account worked any more (`no_key`).',
    example: null,
  })
  disabledReason: DisabledReason | null;
}

@ApiSchema({
  name: 'WebhookWithSecret',
  description: 'A webhook with its newest secret, which is shown only here.',
})
export class WebhookWithSecretResponse extends WebhookResponse {
  @TextField({
    maxLength: 50,
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    description: 'Signs what is sent, as [Standard Webhooks](https://www.standardwebhooks.com) says.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmKXjlHFc=',
  })
  secret: string;
}

export function toWebhookResponse(webhook: Webhook): WebhookResponse {
  const { id, url, events, createdAtMs, failingSinceMs, disabledAtMs, disabledReason } = webhook;
  return {
    id,
    url,
    events,
    status: disabledAtMs === null ? 'enabled' : 'disabled',
    createdAt: new Date(createdAtMs).toISOString(),
    failingSince: instantOrNull(failingSinceMs),
    disabledAt: instantOrNull(disabledAtMs),
    disabledReason,
  };
}

export function toWebhookWithSecret(webhook: Webhook): WebhookWithSecretResponse {
  return { ...toWebhookResponse(webhook), secret: webhook.secrets[0]!.text };
}

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
