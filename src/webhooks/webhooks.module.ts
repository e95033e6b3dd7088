import { Module, Optional } from '@nestjs/common';
import { Metrics } from '@animal-store/operations';
import { KeysModule } from '../access/keys.module.js';
import { Scopes } from '@animal-store/api-keys/issuing';
import { events } from '../events.js';
import { scopes } from '../scopes.js';
import { Settings } from '../settings/settings.js';
import { DeliveryCounts } from './application/deliveries/delivery-counts.js';
import { Deliver } from './application/deliveries/deliver.use-case.js';
import { ListDeliveries } from './application/deliveries/list-deliveries.use-case.js';
import { RetryDelivery } from './application/deliveries/retry-delivery.use-case.js';
import { TestWebhook } from './application/deliveries/test-webhook.use-case.js';
import { FanOutEvents, PendingBound } from './application/events/fan-out-events.use-case.js';
import { GetEvent } from './application/events/get-event.use-case.js';
import { ListEvents } from './application/events/list-events.use-case.js';
import { RecordEvent } from './application/events/record-event.use-case.js';
import { CreateWebhook } from './application/subscriptions/create-webhook.use-case.js';
import { DeleteWebhook } from './application/subscriptions/delete-webhook.use-case.js';
import { GetWebhook } from './application/subscriptions/get-webhook.use-case.js';
import { ListWebhooks } from './application/subscriptions/list-webhooks.use-case.js';
import { RotateSecret } from './application/subscriptions/rotate-secret.use-case.js';
import { WebhookRights } from './application/subscriptions/webhook-rights.js';
import { DeliveryRepository } from './domain/delivery.repository.js';
import { Receivers } from './domain/receivers.js';
import { EventInterests, EventRepository } from './domain/event.repository.js';
import { EventTypes } from './domain/event.js';
import { WebhookRandom } from './domain/webhook-random.js';
import { WebhookRepository } from './domain/webhook.repository.js';
import { EventsController } from './http/events.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { HttpReceivers } from './infrastructure/deliveries/http-receivers.js';
import { NodeRandom } from './infrastructure/node-random.js';
import { RemoveOldEvents, TypeOrmEventRepository } from './infrastructure/events/typeorm-event.repository.js';
import { EventsKept, PolledInterests } from './infrastructure/subscriptions/polled-interests.js';
import {
  RemoveEndedDeliveries,
  TypeOrmDeliveryRepository,
} from './infrastructure/deliveries/typeorm-delivery.repository.js';
import { TypeOrmWebhookRepository } from './infrastructure/subscriptions/typeorm-webhook.repository.js';
import { DeliverJob } from './jobs/deliver.job.js';
import { EventRecorder } from './jobs/event-recorder.js';

@Module({
  imports: [KeysModule],
  controllers: [EventsController, WebhooksController],
  providers: [
    ListWebhooks,
    CreateWebhook,
    GetWebhook,
    DeleteWebhook,
    RotateSecret,
    TestWebhook,
    ListDeliveries,
    RetryDelivery,
    ListEvents,
    GetEvent,
    RecordEvent,
    EventRecorder,
    FanOutEvents,
    Deliver,
    DeliverJob,
    DeliveryCounts,
    WebhookRights,
    PolledInterests,
    { provide: EventTypes, useFactory: () => new EventTypes(events, new Scopes(scopes)) },
    {
      provide: PendingBound,
      inject: [Settings],
      useFactory: ({ webhooks }: Settings): PendingBound => ({ max: webhooks.mostPending }),
    },
    {
      provide: EventsKept,
      inject: [Settings],
      useFactory: ({ webhooks }: Settings): EventsKept => ({ always: webhooks.events === 'always' }),
    },
    { provide: EventInterests, useExisting: PolledInterests },
    { provide: EventRepository, useClass: TypeOrmEventRepository },
    { provide: WebhookRepository, useClass: TypeOrmWebhookRepository },
    { provide: DeliveryRepository, useClass: TypeOrmDeliveryRepository },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: WebhookRandom, useClass: NodeRandom },
    RemoveEndedDeliveries,
    RemoveOldEvents,
  ],
})
export class WebhooksModule {
  constructor(counts: DeliveryCounts, @Optional() metrics?: Metrics) {
    metrics?.counter(
      'webhook_deliveries_total',
      'Requests to receivers of webhooks, by outcome.',
      () => counts.byOutcome,
      'outcome',
    );
    metrics?.counter(
      'webhook_deliveries_late_seconds_total',
      'From the events to their arrivals, of all deliveries that have arrived.',
      () => [[counts.lateSeconds]],
    );
  }
}
