import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '@animal-store/openapi';
import type { Order } from '../domain/order.js';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order-status.js';

@ApiSchema({ name: 'Order', description: 'An order for one animal.' })
export class OrderResponse {
  @ApiInt64({ minimum: 1, description: 'The service sets it when the order is placed.', example: 1 })
  id: bigint;

  @ApiInt64({ minimum: 1, description: 'The animal that is ordered.', example: 1 })
  petId: bigint;

  @ApiProperty({ enum: ORDER_STATUSES, enumName: 'OrderStatus', example: 'placed' })
  status: OrderStatus;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 30,
    description: 'When the order was placed: RFC 3339, in UTC.',
    example: '2026-03-14T12:00:00.000Z',
  })
  placedAt: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 30,
    description: 'When the status last changed: RFC 3339, in UTC.',
    example: '2026-03-14T12:00:00.000Z',
  })
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
