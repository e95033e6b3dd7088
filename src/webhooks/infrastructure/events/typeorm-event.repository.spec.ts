import { databases, describeRepository, emptyBeforeEach } from '@animal-store/database/testing';
import { DAY_MS } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { eventRepositoryContract } from '../../testing/event.repository.contract.js';
import { aNewEvent } from '../../testing/webhook.builder.js';
import { webhooksTables } from '../webhooks.tables.js';
import { RemoveOldEvents, TypeOrmEventRepository } from './typeorm-event.repository.js';

describeRepository(TypeOrmEventRepository, [webhooksTables], eventRepositoryContract);

describe.each(databases)('Events, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, webhooksTables);

  it('are removed after 30 days', async () => {
    const { database } = temporary;
    const clock = new FakeClock();
    const events = new TypeOrmEventRepository(database);
    for (const [index, age] of [DAY_MS * 31, DAY_MS * 30, DAY_MS * 30 - 1].entries()) {
      const event = aNewEvent({ eventId: `evt_${index}`, createdAtMs: clock.now() - age });
      await database.run((transaction) => events.add(event, transaction));
    }
    await new RemoveOldEvents(database, clock).run(null, new AbortController().signal);

    expect(await Promise.all([0, 1, 2].map((index) => events.find(`evt_${index}`)))).toEqual([
      null,
      null,
      expect.objectContaining({ eventId: 'evt_2' }),
    ]);
  });
});
