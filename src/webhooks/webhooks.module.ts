import { Module } from '@nestjs/common';
import { Cleaner, Database } from '@animal-store/database';
import { Clock } from '@animal-store/kernel';
import { KeysModule } from '../access/keys.module.js';
import { AnnounceEvent } from './application/deliveries/announce-event.use-case.js';
import { Deliver } from './application/deliveries/deliver.use-case.js';
import { ListDeliveries } from './application/deliveries/list-deliveries.use-case.js';
import { RetryDelivery } from './application/deliveries/retry-delivery.use-case.js';
import { StartDelivery } from './application/deliveries/start-delivery.js';
import { TestWebhook } from './application/deliveries/test-webhook.use-case.js';
import { WakeOverdue } from './application/deliveries/wake-overdue.use-case.js';
import { CreateWebhook } from './application/subscriptions/create-webhook.use-case.js';
import { DeleteWebhook } from './application/subscriptions/delete-webhook.use-case.js';
import { GetWebhook } from './application/subscriptions/get-webhook.use-case.js';
import { ListWebhooks } from './application/subscriptions/list-webhooks.use-case.js';
import { RotateSecret } from './application/subscriptions/rotate-secret.use-case.js';
import { DeliveryRepository } from './domain/delivery.repository.js';
import { Receivers } from './domain/receivers.js';
import { WebhookInterests } from './domain/webhook-interests.js';
import { WebhookRandom } from './domain/webhook-random.js';
import { WebhookRepository } from './domain/webhook.repository.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { HttpReceivers } from './infrastructure/deliveries/http-receivers.js';
import { NodeRandom } from './infrastructure/node-random.js';
import { PolledInterests } from './infrastructure/subscriptions/polled-interests.js';
import {
  endedDeliveries,
  TypeOrmDeliveryRepository,
} from './infrastructure/deliveries/typeorm-delivery.repository.js';
import { TypeOrmWebhookRepository } from './infrastructure/subscriptions/typeorm-webhook.repository.js';
import { AnnounceEventJob } from './jobs/announce-event.job.js';
import { DeliverJob } from './jobs/deliver.job.js';
import { WakeOverdueJob } from './jobs/wake-overdue.job.js';

@Module({
  imports: [KeysModule],
  controllers: [WebhooksController],
  providers: [
    ListWebhooks,
    CreateWebhook,
    GetWebhook,
    DeleteWebhook,
    RotateSecret,
    TestWebhook,
    ListDeliveries,
    RetryDelivery,
    StartDelivery,
    AnnounceEvent,
    AnnounceEventJob,
    Deliver,
    DeliverJob,
    WakeOverdue,
    WakeOverdueJob,
    PolledInterests,
    { provide: WebhookInterests, useExisting: PolledInterests },
    { provide: WebhookRepository, useClass: TypeOrmWebhookRepository },
    { provide: DeliveryRepository, useClass: TypeOrmDeliveryRepository },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: WebhookRandom, useClass: NodeRandom },
    {
      provide: Cleaner,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new Cleaner(database, endedDeliveries(database, clock), clock),
    },
  ],
})
export class WebhooksModule {}
