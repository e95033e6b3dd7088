import type { EventDeclaration } from '@animal-store/openapi';
import type { OrderChanged } from '../domain/order.events.js';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order.rules.js';
import { OrderResponse, toOrderResponse } from './order.response.js';

const event = (status: OrderStatus): EventDeclaration<OrderChanged> => ({
  name: `order.${status}`,
  version: 1,
  summary: `An order was ${status}`,
  response: OrderResponse,
  dataOf: ({ order }) => toOrderResponse(order),
  accountOf: ({ order }) => order.account,
  scope: 'orders:read',
  example: { status },
});

/** The events that the account of an order gets. */
export const orderEvents = ORDER_STATUSES.map(event);
