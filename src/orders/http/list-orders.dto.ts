import { EnumField } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order-status.js';

export class ListOrdersDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @EnumField(ORDER_STATUSES, {
    name: 'OrderStatus',
    optional: true,
    description: 'Only orders with this status.',
  })
  status?: OrderStatus;

  @PageCursor()
  cursor?: string;
}
