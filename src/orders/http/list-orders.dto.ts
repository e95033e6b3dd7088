import { DEFAULT_LIMIT, PageCursor, PageLimit, StatusFilter } from '../../platform/http/page-query.js';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order-status.js';

export class ListOrdersDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @StatusFilter(ORDER_STATUSES, 'OrderStatus', 'Only orders with this status.')
  status?: OrderStatus;

  @PageCursor()
  cursor?: string;
}
