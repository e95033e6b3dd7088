import { ReleasePet } from '../../pets/application/release-pet.use-case.js';
import { PetNotAvailable } from '../../pets/domain/pet.errors.js';
import { aPet } from '../../pets/testing/pet.builder.js';
import { FakeClock } from '@animal-store/kernel/testing';
import { OrderNotFound, OrderNotOpen } from '../domain/order.errors.js';
import { anOrder } from '../testing/order.builder.js';
import { openOrderStorage, type OrderStorage } from '../testing/order-storage.js';
import { CancelOrder } from './cancel-order.use-case.js';

describe('CancelOrder', () => {
  let storage: OrderStorage;
  let cancelOrder: CancelOrder;

  beforeEach(async () => {
    storage = await openOrderStorage();
    const { orders, pets, unitOfWork } = storage;
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    cancelOrder = new CancelOrder(orders, new ReleasePet(pets, unitOfWork), unitOfWork, clock);
    await storage.put(anOrder({ account: 'zoo', petId: 1n, placedAtMs: 1_000 }));
  });

  afterEach(() => storage.close());

  it('cancels the order and makes its animal available again', async () => {
    await storage.putPets(aPet({ status: 'pending' }));
    const order = await cancelOrder.execute('zoo', 1n);
    expect(order).toMatchObject({
      id: 1n,
      status: 'cancelled',
      placedAtMs: 1_000,
      updatedAtMs: Date.UTC(2026, 2, 14, 12),
    });
    expect(await storage.orders.findById('zoo', 1n)).toEqual(order);
    expect((await storage.pets.findById(1n))?.status).toBe('available');
  });

  it('refuses an id that no order has', async () => {
    await expect(cancelOrder.execute('zoo', 2n)).rejects.toThrow(OrderNotFound);
  });

  it('refuses the order of another account', async () => {
    await expect(cancelOrder.execute('circus', 1n)).rejects.toThrow(OrderNotFound);
  });

  it('refuses an order that is finished', async () => {
    await storage.putPets(aPet({ status: 'pending' }));
    await cancelOrder.execute('zoo', 1n);
    await expect(cancelOrder.execute('zoo', 1n)).rejects.toThrow(OrderNotOpen);
  });

  it('leaves the order open when its animal cannot be released', async () => {
    await storage.putPets(aPet({ status: 'available' }));
    await expect(cancelOrder.execute('zoo', 1n)).rejects.toThrow(PetNotAvailable);
    expect((await storage.orders.findById('zoo', 1n))?.status).toBe('placed');
  });
});
