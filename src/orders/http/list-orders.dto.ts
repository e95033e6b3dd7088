import { EnumField } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order.rules.js';

export class ListOrdersDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @EnumField(ORDER_STATUSES, {
    name: 'OrderStatus',
    optional: true,
    each: { maxItems: ORDER_STATUSES.length },
    description: 'Only orders with one of these statuses: `status=placed&status=completed`.',
  })
  status?: OrderStatus[];

  @PageCursor()
  cursor?: string;
}
