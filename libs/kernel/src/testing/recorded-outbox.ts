import { type DomainEvent, type EventClass, Outbox, type Transaction } from '../unit-of-work.js';

/** An outbox that only remembers what was added. */
export class RecordedOutbox extends Outbox {
  readonly events: DomainEvent[] = [];

  add(event: DomainEvent): Promise<void> {
    this.events.push(event);
    return Promise.resolve();
  }

  async run<T>(
    Event: EventClass<T>,
    work: (transaction: Transaction | undefined) => Promise<T>,
    within?: Transaction,
  ): Promise<T> {
    const subject = await work(within);
    await this.add(new Event(subject));
    return subject;
  }
}
