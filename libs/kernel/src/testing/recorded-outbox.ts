import { type DomainEvent, Outbox, type Transaction } from '../unit-of-work.js';

/** An outbox that only remembers what was added. */
export class RecordedOutbox extends Outbox {
  readonly events: DomainEvent[] = [];

  add(event: DomainEvent): Promise<void> {
    this.events.push(event);
    return Promise.resolve();
  }

  run<T>(
    _name: string,
    work: (transaction: Transaction | undefined) => Promise<T>,
    within?: Transaction,
  ): Promise<T> {
    return work(within);
  }
}
