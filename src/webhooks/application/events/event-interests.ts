import { Injectable } from '@nestjs/common';
import { ChangeFeed, Clock } from '@animal-store/kernel';
import { EventTypes } from '../../domain/event.js';
import type { Webhook } from '../../domain/webhook.js';
import { type EventInterest, WebhookRepository } from '../../domain/webhook.repository.js';

/** What an operator has set. */
export abstract class WebhookSettings {
  /** How much may be pending of a webhook. */
  abstract readonly mostPending: number;
  /** Whether all events are stored, also those that no webhook is notified of. */
  abstract readonly events: 'subscribed' | 'always';
}

/** Without a reading for this time every event is stored, as a webhook may subscribe to it. */
const TRUSTED_MS = 5_000;

/**
 * Who may read which events, so that an event costs nothing that nobody reads. What other servers have changed is known
 * usually within a second, at most five. Until then an event may be stored for nobody, or a new webhook misses it.
 */
@Injectable()
export class EventInterests {
  private readonly feed: ChangeFeed<EventInterest>;
  /** The audiences of each event. */
  private readonly audiences = new Map<string, Set<string>>();
  private readAtMs = -Infinity;

  constructor(
    webhooks: WebhookRepository,
    private readonly types: EventTypes,
    private readonly clock: Clock,
    private readonly settings: WebhookSettings,
  ) {
    const changedAfter = (afterMs: number, limit: number) => webhooks.changedInterests(afterMs, limit);
    const apply = (changed: readonly EventInterest[]) => {
      for (const { event, audience, webhooks: count } of changed)
        if (count > 0) this.add(event, audience);
        else this.audiences.get(event)?.delete(audience);
    };
    this.feed = new ChangeFeed({ changedAfter }, apply, { sinceMs: 0 });
  }

  /** Whether any account may read such events. */
  hasAny(type: string): boolean {
    return (this.audiences.get(type)?.size ?? 0) > 0 || this.storesEverything();
  }

  /** Whether the account may read such events; for EVERYBODY, whether any account may. */
  has(type: string, audience: string): boolean {
    return this.audiences.get(type)?.has(audience) === true || this.storesEverything();
  }

  /** Reads what has changed. To be called about once a second, never twice at a time. */
  async refresh(): Promise<void> {
    const startedMs = this.clock.monotonicMs();
    await this.feed.read();
    this.readAtMs = startedMs;
  }

  /** For a new webhook that this server has committed. */
  added({ account, events }: Webhook): void {
    for (const event of events) this.add(event, this.types.audienceFor(event, account));
  }

  private add(event: string, audience: string): void {
    const known = this.audiences.get(event);
    if (known) known.add(audience);
    else this.audiences.set(event, new Set([audience]));
  }

  private storesEverything(): boolean {
    const isUnknown = this.clock.monotonicMs() - this.readAtMs > TRUSTED_MS;
    return this.settings.events === 'always' || isUnknown;
  }
}
