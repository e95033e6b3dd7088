import { Injectable } from '@nestjs/common';
import { EVERYBODY, EventTypes, type StoredEvent } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';
import { EventNotFound } from '../../domain/webhook.errors.js';

/** Finds an event that an account could be told of. */
@Injectable()
export class GetEvent {
  constructor(
    private readonly events: EventRepository,
    private readonly types: EventTypes,
  ) {}

  /** @throws EventNotFound when there is none with this id, or it is another account's. */
  async execute(account: string, eventId: string): Promise<StoredEvent> {
    const event = await this.events.find(eventId);
    const isReadable = event?.audience === EVERYBODY || event?.audience === account;
    if (!event || !isReadable || this.types.find(event.type) === undefined) throw new EventNotFound(eventId);
    return event;
  }
}
