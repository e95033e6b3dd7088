import { FakeClock, RecordedOutbox } from '@animal-store/kernel/testing';
import { ChangePet } from '../../pets/application/change-pet.js';
import { ReservePet } from '../../pets/application/reserve-pet.use-case.js';
import { PetNotAvailable } from '../../pets/domain/pet.errors.js';
import { aPet } from '../../pets/testing/pet.builder.js';
import { UnknownPet } from '../domain/order.errors.js';
import { orderStorage } from '../testing/order-storage.js';
import { PlaceOrder } from './place-order.use-case.js';

describe('PlaceOrder', () => {
  const storage = orderStorage();
  let placeOrder: PlaceOrder;
  let outbox: RecordedOutbox;

  beforeEach(() => {
    const { orders, pets, unitOfWork } = storage;
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    const reservePet = new ReservePet(new ChangePet(pets, unitOfWork, new RecordedOutbox()));
    placeOrder = new PlaceOrder(orders, reservePet, unitOfWork, clock, (outbox = new RecordedOutbox()));
  });

  it('stores the order and reserves its animal', async () => {
    await storage.putPets(aPet());
    const order = await placeOrder.execute('zoo', 1n);
    expect(order).toEqual({
      id: 1n,
      account: 'zoo',
      petId: 1n,
      status: 'placed',
      placedAtMs: Date.UTC(2026, 2, 14, 12),
      updatedAtMs: Date.UTC(2026, 2, 14, 12),
    });
    expect(await storage.orders.findById('zoo', 1n)).toEqual(order);
    expect((await storage.pets.findById(1n))?.status).toBe('pending');
    expect(outbox.events).toEqual([{ name: 'order.placed', order }]);
  });

  it('refuses an id that no animal has', async () => {
    await expect(placeOrder.execute('zoo', 1n)).rejects.toThrow(UnknownPet);
    expect(await storage.orders.findById('zoo', 1n)).toBeNull();
  });

  it.each(['pending', 'sold'] as const)('refuses an animal that is %s', async (status) => {
    await storage.putPets(aPet({ status }));
    await expect(placeOrder.execute('zoo', 1n)).rejects.toThrow(PetNotAvailable);
    expect(await storage.orders.findById('zoo', 1n)).toBeNull();
  });

  it('stores no order and reserves no animal when its transaction fails', async () => {
    await storage.putPets(aPet());
    const failing = storage.unitOfWork.run(async (transaction) => {
      await placeOrder.execute('zoo', 1n, transaction);
      throw new Error('the keeper overslept');
    });
    await expect(failing).rejects.toThrow('the keeper overslept');
    expect(await storage.orders.findById('zoo', 1n)).toBeNull();
    expect((await storage.pets.findById(1n))?.status).toBe('available');
  });
});
