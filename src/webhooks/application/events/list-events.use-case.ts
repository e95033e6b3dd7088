import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageRequest } from '@animal-store/kernel';
import { EventTypes, type StoredEvent } from '../../domain/event.js';
import { EventRepository } from '../../domain/event.repository.js';

/** Transactions may commit in another order than that of the events' ids. Before that the list would miss some. */
const SETTLED_AFTER_MS = 10_000;

export interface ListEventsInput extends PageRequest {
  readonly account: string;
  readonly types: readonly string[];
}

/** Lists what an account could be told of, as it was sent, the oldest first. */
@Injectable()
export class ListEvents {
  constructor(
    private readonly events: EventRepository,
    private readonly types: EventTypes,
    private readonly clock: Clock,
  ) {}

  execute({ account, types, limit, after }: ListEventsInput): Promise<Page<StoredEvent>> {
    const wanted = types.map((name) => ({ name, audience: this.types.audienceFor(name, account) }));
    const untilMs = this.clock.now() - SETTLED_AFTER_MS;
    return this.events.list({ types: wanted, untilMs }, { limit, after });
  }
}
