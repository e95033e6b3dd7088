import { EnumField } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order.rules.js';

export class ListOrdersDto extends ListDto {
  @EnumField(ORDER_STATUSES, {
    name: 'OrderStatus',
    optional: true,
    each: { maxItems: ORDER_STATUSES.length },
    description: 'Only orders with one of these statuses: `status=placed&status=completed`.',
  })
  status?: OrderStatus[];
}
