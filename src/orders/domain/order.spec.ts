import { Order } from './order.js';

const placed = Order.restore({ id: 1n, ...Order.place('zoo', 5n, 1_000) });

describe('Order', () => {
  it('is immutable', () => {
    placed.cancel(2_000);
    expect(placed.status).toBe('placed');
  });

  it('never has an update time before it was placed, even when the clock was set back', () => {
    expect(placed.complete(999).updatedAtMs).toBe(1_000);
  });
});
