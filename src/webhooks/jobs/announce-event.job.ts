import { Job, type JobHandler } from '@animal-store/jobs';
import { Clock, toJson } from '@animal-store/kernel';
import type { OrderChanged } from '../../orders/domain/order.events.js';
import type { PetAdded, PetStatusChanged } from '../../pets/domain/pet.events.js';
import { AnnounceEvent } from '../application/deliveries/announce-event.use-case.js';
import { type Announcement, EVERYBODY, WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhook-event.js';
import { WebhookInterests } from '../domain/webhook-interests.js';
import { WebhookRandom } from '../domain/webhook-random.js';

/** An event of another context becomes one job, however many webhooks want it. */
@Job('webhooks.announce', { on: WEBHOOK_EVENTS, concurrency: 50 })
export class AnnounceEventJob implements JobHandler<Announcement> {
  constructor(
    private readonly interests: WebhookInterests,
    private readonly random: WebhookRandom,
    private readonly clock: Clock,
    private readonly announceEvent: AnnounceEvent,
  ) {}

  wants(event: WebhookEvent): boolean {
    return this.interests.hasAny(event);
  }

  jobsFor(event: PetAdded | PetStatusChanged | OrderChanged): readonly { payload: Announcement }[] {
    const { audience, data } = 'pet' in event ? ofPet(event) : ofOrder(event);
    if (!this.interests.has(event.name, audience)) return [];
    const [id, atMs] = [this.random.eventId(), this.clock.now()];
    return [{ payload: { id, event: event.name, audience, atMs, data: toJson(data) } }];
  }

  run(announcement: Announcement, signal: AbortSignal): Promise<void> {
    return this.announceEvent.execute(announcement, signal);
  }
}

function ofPet({ pet }: PetAdded | PetStatusChanged) {
  return { audience: EVERYBODY, data: pet };
}

/** As the API shows the order. */
function ofOrder({ order: { account, placedAtMs, updatedAtMs, ...facts } }: OrderChanged) {
  const [placedAt, updatedAt] = [placedAtMs, updatedAtMs].map((ms) => new Date(ms).toISOString());
  return { audience: account, data: { ...facts, placedAt, updatedAt } };
}
