import { ApiSchema } from '@nestjs/swagger';
import { EnumField } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery.js';
import { EventTypesField, ReceiverUrlField } from './webhook-fields.js';

@ApiSchema({
  name: 'NewWebhook',
  description: 'A webhook to create. The service sets its id and its secret.',
})
export class NewWebhookDto {
  @ReceiverUrlField(
    'Where events are sent: in production https; port 443 or 80, a host with a public address, no user name.',
  )
  url: string;

  @EventTypesField({ description: 'What to be notified of.', example: ['animal.added', 'order.placed'] })
  events: string[];
}

export class ListDeliveriesDto extends ListDto {
  @EnumField(DELIVERY_STATUSES, {
    name: 'DeliveryStatus',
    optional: true,
    description: 'Only deliveries with it.',
  })
  status?: DeliveryStatus;
}

export class ListEventsDto extends ListDto {
  @EventTypesField({
    optional: true,
    description:
      'Only events of this type. It may be given several times. Without it all that the key may read.',
  })
  type?: string[];
}
