import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageRequest } from '@animal-store/kernel';
import { EVERYBODY, EventTypes, type StoredEvent } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { EventNotFound } from '../../domain/webhook.errors.js';

/** Transactions may commit in another order than that of the events' ids. Before that the list would miss some. */
const SETTLED_AFTER_MS = 10_000;

/** An account reads what it could be notified of, as it was sent. */
@Injectable()
export class ReadEvents {
  constructor(
    private readonly events: EventRepository,
    private readonly types: EventTypes,
    private readonly clock: Clock,
  ) {}

  /** The events of these types, the oldest first. */
  list(account: string, types: readonly string[], page: PageRequest): Promise<Page<StoredEvent>> {
    const wanted = types.map((name) => ({ name, audience: this.types.audienceFor(name, account) }));
    return this.events.list({ types: wanted, untilMs: this.clock.now() - SETTLED_AFTER_MS }, page);
  }

  /** @throws EventNotFound when there is none with this id, or it is another account's. */
  async get(account: string, eventId: string): Promise<StoredEvent> {
    const event = await this.events.find(eventId);
    const isReadable = event?.audience === EVERYBODY || event?.audience === account;
    if (!event || !isReadable || this.types.find(event.type) === undefined) throw new EventNotFound(eventId);
    return event;
  }
}
