/** The states of an order; completed and cancelled orders are finished. */
export const ORDER_STATUSES = ['placed', 'completed', 'cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];
