import { Injectable } from '@nestjs/common';
import { Clock, type DomainEvent, toJson, type Transaction } from '@animal-store/kernel';
import { EVERYBODY, EventTypes, newEvent } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { EventInterests } from './event-interests.js';
import { FanOutEvents } from './fan-out-events.service.js';

/** Stores an event in the transaction that causes it, when somebody could read it. */
@Injectable()
export class RecordEvent {
  private readonly wake = () => this.fanOut.wake();

  constructor(
    private readonly types: EventTypes,
    private readonly interests: EventInterests,
    private readonly events: EventRepository,
    private readonly clock: Clock,
    private readonly fanOut: FanOutEvents,
  ) {}

  wants(name: string): boolean {
    return this.interests.hasAny(name);
  }

  async record(event: DomainEvent, transaction: Transaction): Promise<void> {
    const type = this.types.find(event.name);
    if (type === undefined) return;
    const audience = type.accountOf?.(event) ?? EVERYBODY;
    if (!this.interests.has(event.name, audience)) return;
    await this.events.add(
      newEvent(type, audience, toJson(type.dataOf(event)), this.clock.now()),
      transaction,
    );
    transaction.onCommit(this.wake);
  }
}
