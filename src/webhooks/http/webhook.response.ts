import { ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field, TextField } from '@animal-store/openapi';
import {
  DISABLED_REASONS,
  type DisabledReason,
  makerOf,
  type Webhook,
  WEBHOOK_STATUSES,
  type WebhookStatus,
} from '../domain/webhook.js';
import { EventTypesField, ReceiverUrlField } from './webhook-fields.js';

@ApiSchema({ name: 'Webhook', description: 'Where an account is notified of events.' })
export class WebhookResponse {
  @Int64Field({ minimum: 1n, description: 'The service sets it when the webhook is created.', example: 1 })
  id: bigint;

  @ReceiverUrlField()
  url: string;

  @EventTypesField({ example: ['animal.added', 'order.placed'] })
  events: readonly string[];

  @EnumField(WEBHOOK_STATUSES, {
    name: 'WebhookStatus',
    description:
      'A `pending` webhook is notified of nothing until its receiver has responded to a test with a success. A `disabled` one is notified of no new events until a test, or a retry, arrives.',
    example: 'enabled',
  })
  status: WebhookStatus;

  @TextField({
    nullable: true,
    maxLength: 100,
    pattern: '^\\w+$',
    description:
      'The id of the key that made it. It ends with that key, unless a test makes another one its owner.',
    example: 'key_0123456789abcdef',
  })
  createdBy: string | null;

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
    description:
      'Until when nothing is sent, as the receiver requested that or has failed; null when it is not paused.',
    example: null,
  })
  pausedUntil: string | null;

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
      'Why it was disabled: nothing had arrived for five days (`failing`), the receiver had refused everything for a day (`refused`), responded with 410 (`gone`), or was too slow for what is pending (`behind`); or the key of the webhook does not work any more (`no_key`), or may not read its events (`insufficient_scope`).',
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
  const { id, url, events: subscribed, status, disabledReason } = webhook;
  return {
    id,
    url,
    events: subscribed,
    status,
    createdBy: makerOf(webhook),
    createdAt: new Date(webhook.createdAtMs).toISOString(),
    failingSince: instantOrNull(webhook.failingSinceMs),
    pausedUntil: instantOrNull(webhook.pausedUntilMs),
    disabledAt: instantOrNull(webhook.disabledAtMs),
    disabledReason,
  };
}

export function toWebhookWithSecret(webhook: Webhook): WebhookWithSecretResponse {
  return { ...toWebhookResponse(webhook), secret: webhook.secrets[0]!.text };
}

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
