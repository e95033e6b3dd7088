import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField } from '@animal-store/openapi';
import { Follows } from '@animal-store/web';
import { EVENT_NAMES } from './webhook.response.js';

const URL_TEXT = '^https?://[!-~]+$';

/** What a URL may lead to is a rule of the domain. */
function urlProblem(value: unknown): string | null {
  const isUrl = typeof value === 'string' && value.length <= 2_048 && new RegExp(URL_TEXT).test(value);
  return isUrl
    ? null
    : 'must be a URL such as https://shop.example/webhooks, of at most 2048 visible ASCII characters';
}

const IsReceiverUrl = () => Follows('isReceiverUrl', urlProblem);

@ApiSchema({
  name: 'NewWebhook',
  description: 'A webhook to create. The service sets its id and its secret.',
})
export class NewWebhookDto {
  @IsReceiverUrl()
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 2_048,
    pattern: URL_TEXT,
    description:
      'Where events are sent: in production https; port 443 or 80, a host with a public address, no user name.',
    example: 'https://shop.example/webhooks',
  })
  url: string;

  @EnumField(EVENT_NAMES, {
    name: 'WebhookEvent',
    each: { minItems: 1, maxItems: EVENT_NAMES.length },
    description: 'What to be notified of.',
    example: ['animal.added', 'order.placed'],
  })
  events: string[];
}
