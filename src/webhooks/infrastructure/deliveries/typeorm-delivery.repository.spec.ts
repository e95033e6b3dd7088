import { databases, describeRepository, emptyBeforeEach } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { deliveryRepositoryContract } from '../../testing/delivery.repository.contract.js';
import { aNewDelivery } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { endedDeliveries, TypeOrmDeliveryRepository } from './typeorm-delivery.repository.js';

describeRepository(TypeOrmDeliveryRepository, [webhooksTables], deliveryRepositoryContract);

describe.each(databases)('Deliveries that have ended, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, webhooksTables);

  it('are removed after a week, in steps; what is pending stays', async () => {
    const { database } = temporary;
    const clock = new FakeClock();
    const deliveries = new TypeOrmDeliveryRepository(database);
    const add = (id: number, endedAtMs: number | null) => {
      const delivery = aNewDelivery({ eventId: `evt_${id}`, endedAtMs });
      return database.run((transaction) => deliveries.add(delivery, 1n, transaction));
    };
    const weekAgoMs = clock.now() - 7 * DAY_MS;
    for (let id = 1; id <= 5; id++) await add(id, weekAgoMs - id);
    await add(6, weekAgoMs + 1);
    await add(7, null);

    const { removeSome } = endedDeliveries(database, clock);
    const step = (after: Parameters<typeof removeSome>[0]) =>
      database.run((transaction) => removeSome(after, 3, transaction));
    const first = await step(null);
    expect(first).toEqual({ count: 3, end: { endedAtMs: weekAgoMs - 3 } });
    expect(await step(first.end)).toEqual({ count: 2, end: null });
    const { items } = await deliveries.list(1n, {}, { limit: 10, after: null });
    expect(items.map(({ eventId }) => eventId)).toEqual(['evt_7', 'evt_6']);
  });
});
