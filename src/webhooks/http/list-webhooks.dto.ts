import { EnumField } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery.js';
import { EVENT_NAMES } from './webhook.response.js';

export class ListDeliveriesDto extends ListDto {
  @EnumField(DELIVERY_STATUSES, {
    name: 'DeliveryStatus',
    optional: true,
    description: 'Only deliveries with it.',
  })
  status?: DeliveryStatus;
}

export class ListEventsDto extends ListDto {
  @EnumField(EVENT_NAMES, {
    name: 'WebhookEvent',
    optional: true,
    each: { minItems: 1, maxItems: EVENT_NAMES.length },
    description:
      'Only events of this type. It may be given several times. Without it all that the key may read.',
  })
  type?: string[];
}
