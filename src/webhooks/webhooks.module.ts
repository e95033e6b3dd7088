import { Module, type OnModuleInit, Optional } from '@nestjs/common';
import { Scopes } from '@animal-store/api-keys/issuing';
import { JobOutbox, JobsModule, JobTime } from '@animal-store/jobs';
import { Clock } from '@animal-store/kernel';
import { Metrics } from '@animal-store/operations';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { OutgoingClient } from '@animal-store/web/outgoing';
import { KeysModule } from '../access/keys.module.js';
import { scopes } from '../contexts.js';
import { events } from '../events.js';
import { Settings } from '../settings/settings.js';
import { Deliver } from './application/deliveries/deliver.use-case.js';
import { EventInterests, WebhookSettings } from './application/events/event-interests.js';
import { FanOutEvents } from './application/events/fan-out-events.service.js';
import { ReadEvents } from './application/events/read-events.service.js';
import { OwnWebhooks } from './application/own-webhooks.service.js';
import { WebhookRights } from './application/webhook-rights.js';
import { DeliveryRepository } from './domain/delivery.repository.js';
import { EventTypes } from './domain/event.js';
import { EventRepository } from './domain/event.repository.js';
import { Receivers } from './domain/receivers.js';
import { WebhookRepository } from './domain/webhook.repository.js';
import { EventsController } from './http/events.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { HttpReceivers } from './infrastructure/deliveries/http-receivers.js';
import {
  RemoveEndedDeliveries,
  TypeOrmDeliveryRepository,
} from './infrastructure/deliveries/typeorm-delivery.repository.js';
import { RemoveOldEvents, TypeOrmEventRepository } from './infrastructure/events/typeorm-event.repository.js';
import { TypeOrmWebhookRepository } from './infrastructure/subscriptions/typeorm-webhook.repository.js';
import { DeliverJob } from './jobs/deliver.job.js';

/** Who is notified of what. */
@Module({
  imports: [IdempotencyModule, JobsModule, KeysModule],
  controllers: [EventsController, WebhooksController],
  providers: [
    OwnWebhooks,
    ReadEvents,
    EventInterests,
    FanOutEvents,
    WebhookRights,
    Deliver,
    DeliverJob,
    RemoveEndedDeliveries,
    RemoveOldEvents,
    { provide: EventRepository, useClass: TypeOrmEventRepository },
    { provide: WebhookRepository, useClass: TypeOrmWebhookRepository },
    { provide: DeliveryRepository, useClass: TypeOrmDeliveryRepository },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: EventTypes, useFactory: () => new EventTypes(events, new Scopes(scopes)) },
    // The clocks of servers may differ, and one plans what another does.
    { provide: Clock, useExisting: JobTime },
    { provide: WebhookSettings, inject: [Settings], useFactory: ({ webhooks }: Settings) => webhooks },
    {
      provide: OutgoingClient,
      inject: [Settings],
      useFactory: ({ mode, outgoing }: Settings) =>
        new OutgoingClient({ allowHttp: mode !== 'production', allowPrivate: outgoing.allowPrivate }),
    },
  ],
})
export class WebhooksModule implements OnModuleInit {
  constructor(
    private readonly outbox: JobOutbox,
    private readonly fanOut: FanOutEvents,
    private readonly deliver: Deliver,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  onModuleInit(): void {
    const { deliver, fanOut, metrics } = this;
    this.outbox.recordWith(fanOut);
    metrics?.gauge(
      'event_fan_out_idle_seconds',
      'Since events were last fanned out, which is done each second.',
      () => [[fanOut.idleSeconds]],
    );
    metrics?.counter(
      'webhook_deliveries_total',
      'Requests to receivers of webhooks.',
      () => deliver.outcomes,
      'outcome',
    );
    metrics?.counter(
      'webhook_deliveries_late_seconds_total',
      'From the events to their arrivals, of all deliveries that have arrived.',
      () => [[deliver.lateSeconds]],
    );
  }
}
