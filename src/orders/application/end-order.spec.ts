import { FakeClock, RecordedOutbox } from '@animal-store/kernel/testing';
import { ChangePet } from '../../pets/application/change-pet.js';
import { ReleasePet } from '../../pets/application/release-pet.use-case.js';
import { SellPet } from '../../pets/application/sell-pet.use-case.js';
import { aPet } from '../../pets/testing/pet.builder.js';
import type { Order } from '../domain/order.js';
import { OrderNotFound } from '../domain/order.errors.js';
import { orderStorage } from '../testing/order-storage.js';
import { CancelOrder } from './cancel-order.use-case.js';
import { CompleteOrder } from './complete-order.use-case.js';
import { EndOrder } from './end-order.js';

describe.each([
  [
    'CompleteOrder',
    (end: EndOrder, pets: ChangePet) => new CompleteOrder(end, new SellPet(pets)),
    'completed',
    'sold',
  ],
  [
    'CancelOrder',
    (end: EndOrder, pets: ChangePet) => new CancelOrder(end, new ReleasePet(pets)),
    'cancelled',
    'available',
  ],
] as const)('%s', (_, create, status, petStatus) => {
  const storage = orderStorage();
  let useCase: CompleteOrder | CancelOrder;
  let outbox: RecordedOutbox;

  beforeEach(async () => {
    const { orders, pets, unitOfWork } = storage;
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    useCase = create(
      new EndOrder(orders, unitOfWork, clock, (outbox = new RecordedOutbox())),
      new ChangePet(pets, unitOfWork, new RecordedOutbox()),
    );
    await storage.put({ account: 'zoo', petId: 1n, placedAtMs: 1_000 });
  });

  it(`makes the order ${status} and its animal ${petStatus}`, async () => {
    await storage.putPets(aPet({ status: 'pending' }));
    const order = await useCase.execute('zoo', 1n);
    expect(order).toMatchObject({
      id: 1n,
      status,
      placedAtMs: 1_000,
      updatedAtMs: Date.UTC(2026, 2, 14, 12),
    });
    expect(await storage.orders.findById('zoo', 1n)).toEqual(order);
    expect((await storage.pets.findById(1n))?.status).toBe(petStatus);
    expect(outbox.events).toEqual([{ name: `order.${status}`, order }]);
  });

  it.each([
    ['an id that no order has', 'zoo', 2n],
    ['the order of another account', 'circus', 1n],
  ])('refuses %s', async (_, account, id) => {
    await expect(useCase.execute(account, id)).rejects.toThrow(OrderNotFound);
  });

  it('gives the locked order to the precondition first, and changes nothing when that throws', async () => {
    await storage.putPets(aPet({ status: 'pending' }));
    const seen: string[] = [];
    const precondition = (current: Order) => {
      seen.push(current.status);
      throw new Error('The keeper has changed his mind.');
    };

    await expect(useCase.execute('zoo', 1n, precondition)).rejects.toThrow(
      'The keeper has changed his mind.',
    );
    expect((await storage.orders.findById('zoo', 1n))?.status).toBe('placed');
    await useCase.execute('zoo', 1n);
    await expect(useCase.execute('zoo', 1n, precondition)).rejects.toThrow(
      'The keeper has changed his mind.',
    );
    expect(seen).toEqual(['placed', status]);
  });
});
