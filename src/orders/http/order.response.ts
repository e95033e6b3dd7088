import { ApiSchema } from '@nestjs/swagger';
import { EnumField, InstantField, Int64Field } from '@animal-store/openapi';
import type { Order } from '../domain/order.js';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order.rules.js';

@ApiSchema({ name: 'Order', description: 'An order for one animal.' })
export class OrderResponse {
  @Int64Field({ minimum: 1n, description: 'The service sets it when the order is placed.', example: 1 })
  id: bigint;

  @Int64Field({ minimum: 1n, description: 'The animal that is ordered.', example: 1 })
  petId: bigint;

  @EnumField(ORDER_STATUSES, { name: 'OrderStatus', example: 'placed' })
  status: OrderStatus;

  @InstantField({ description: 'When the order was placed, in UTC.', example: '2026-03-14T12:00:00.000Z' })
  placedAt: string;

  @InstantField({ description: 'When the status last changed, in UTC.', example: '2026-03-14T12:00:00.000Z' })
  updatedAt: string;
}

export function toOrderResponse({ id, petId, status, placedAtMs, updatedAtMs }: Order): OrderResponse {
  return {
    id,
    petId,
    status,
    placedAt: new Date(placedAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  };
}
