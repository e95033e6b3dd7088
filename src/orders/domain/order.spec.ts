import { Order } from './order.js';
import { OrderNotOpen } from './order.errors.js';
import type { OrderStatus } from './order.rules.js';

function orderThatIs(status: OrderStatus): Order {
  return Order.restore({ id: 1n, account: 'zoo', petId: 5n, status, placedAtMs: 1_000, updatedAtMs: 1_000 });
}

describe('Order', () => {
  it('is placed by an account for an animal at an instant', () => {
    expect(Order.place('zoo', 5n, 1_000)).toEqual({
      account: 'zoo',
      petId: 5n,
      status: 'placed',
      placedAtMs: 1_000,
      updatedAtMs: 1_000,
    });
  });

  it.each([
    ['complete', 'completed'],
    ['cancel', 'cancelled'],
  ] as const)('can %s while it is placed, and stores the time', (verb, status) => {
    expect(orderThatIs('placed')[verb](2_000)).toEqual({
      id: 1n,
      account: 'zoo',
      petId: 5n,
      status,
      placedAtMs: 1_000,
      updatedAtMs: 2_000,
    });
  });

  it('is immutable', () => {
    const order = orderThatIs('placed');
    order.cancel(2_000);

    expect(order.status).toBe('placed');
  });

  it('never has an update time before it was placed, even when the clock was set back', () => {
    expect(orderThatIs('placed').complete(999).updatedAtMs).toBe(1_000);
  });

  it.each([
    ['complete', 'completed'],
    ['complete', 'cancelled'],
    ['cancel', 'completed'],
    ['cancel', 'cancelled'],
  ] as const)('refuses to %s when it is %s', (verb, status) => {
    const refused = () => orderThatIs(status)[verb](2_000);

    expect(refused).toThrow(OrderNotOpen);
    expect(refused).toThrow(`Order 1 is ${status} already.`);
  });
});
