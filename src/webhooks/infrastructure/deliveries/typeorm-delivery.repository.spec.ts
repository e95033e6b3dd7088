import { databases, describeRepository, emptyBeforeEach } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { deliveryRepositoryContract } from '../../testing/delivery.repository.contract.js';
import { aNewEvent } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { RemoveEndedDeliveries, TypeOrmDeliveryRepository } from './typeorm-delivery.repository.js';

describeRepository(TypeOrmDeliveryRepository, [webhooksTables], deliveryRepositoryContract);

describe.each(databases)('Deliveries that have ended, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, webhooksTables);

  it('are removed after a week; what is pending stays', async () => {
    const { database } = temporary;
    const clock = new FakeClock();
    const deliveries = new TypeOrmDeliveryRepository(database);
    const add = (id: number, endedAtMs: number | null) =>
      database.run(async (transaction) => {
        const event = aNewEvent({ eventId: `evt_${id}` });
        const delivery = await deliveries.addTest(1n, event, transaction);
        await deliveries.save({ ...delivery, endedAtMs }, transaction);
      });
    const weekAgoMs = clock.now() - 7 * DAY_MS;
    for (let id = 1; id <= 5; id++) await add(id, weekAgoMs - id);
    await add(6, weekAgoMs + 1);
    await add(7, null);

    await new RemoveEndedDeliveries(database, clock).run(null, new AbortController().signal);
    const { items } = await deliveries.list(1n, {}, { limit: 10, after: null });
    expect(items.map(({ event }) => event.eventId)).toEqual(['evt_7', 'evt_6']);
  });
});
