import { EnumField } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery.js';

export class ListDeliveriesDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @EnumField(DELIVERY_STATUSES, {
    name: 'DeliveryStatus',
    optional: true,
    description: 'Only deliveries with it.',
  })
  status?: DeliveryStatus;

  @PageCursor()
  cursor?: string;
}
