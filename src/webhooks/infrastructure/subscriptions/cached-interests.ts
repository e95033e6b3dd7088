import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { ChangeFeed, Clock } from '@animal-store/kernel';
import { EventInterests } from '../../domain/event.repository.js';
import { EventInterestRecord } from './event-interest.record.js';

/** Without a reading for this time every event is stored, as somebody may want it. */
const TRUSTED_MS = 5_000;

/** Whether all events are stored, also those that no webhook is told of. */
export abstract class EventRetention {
  abstract readonly always: boolean;
}

/** What this server has read of the subscriptions, and what it has changed itself. */
@Injectable()
export class CachedInterests extends EventInterests {
  private readonly feed: ChangeFeed<EventInterestRecord>;
  /** Of each event, whose. */
  private readonly audiences = new Map<string, Set<string>>();
  private readAtMs = -Infinity;

  constructor(
    { background }: Database,
    private readonly clock: Clock,
    private readonly kept: EventRetention,
  ) {
    super();
    const changes = background.statements(EventInterestRecord, 'interest').changes();
    const changedAfter = (afterMs: number, limit: number) => changes.after(afterMs, limit);
    const apply = (changed: readonly EventInterestRecord[]) => {
      for (const { event, audience, webhooks } of changed)
        if (webhooks > 0) this.added(event, audience);
        else this.audiences.get(event)?.delete(audience);
    };
    this.feed = new ChangeFeed({ changedAfter }, apply, { sinceMs: 0 });
  }

  hasAny(type: string): boolean {
    return (this.audiences.get(type)?.size ?? 0) > 0 || this.storesEverything();
  }

  has(type: string, audience: string): boolean {
    return this.audiences.get(type)?.has(audience) === true || this.storesEverything();
  }

  async refresh(): Promise<void> {
    const startedMs = this.clock.monotonicMs();
    await this.feed.read();
    this.readAtMs = startedMs;
  }

  /** For what this server has committed. */
  added(event: string, audience: string): void {
    const known = this.audiences.get(event);
    if (known) known.add(audience);
    else this.audiences.set(event, new Set([audience]));
  }

  private storesEverything(): boolean {
    return this.kept.always || this.clock.monotonicMs() - this.readAtMs > TRUSTED_MS;
  }
}
