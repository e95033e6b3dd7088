import { Module } from '@nestjs/common';
import { JobsModule } from '@animal-store/jobs';
import { KeysModule } from '../../access/keys.module.js';
import { Settings } from '../../settings/settings.js';
import { WebhooksInfrastructureModule } from '../infrastructure/webhooks-infrastructure.module.js';
import { Deliver } from './deliveries/deliver.use-case.js';
import { DeliveryCounts } from './deliveries/delivery-counts.js';
import { ListDeliveries } from './deliveries/list-deliveries.use-case.js';
import { RequestDelivery } from './deliveries/request-delivery.use-case.js';
import { FanOutEvents, PendingBound } from './events/fan-out-events.use-case.js';
import { GetEvent } from './events/get-event.use-case.js';
import { ListEvents } from './events/list-events.use-case.js';
import { RecordEvent } from './events/record-event.use-case.js';
import { CreateWebhook } from './subscriptions/create-webhook.use-case.js';
import { DeleteWebhook } from './subscriptions/delete-webhook.use-case.js';
import { GetWebhook } from './subscriptions/get-webhook.use-case.js';
import { RotateSecret } from './subscriptions/rotate-secret.use-case.js';
import { WebhookRights } from './subscriptions/webhook-rights.js';

const useCases = [
  ...[CreateWebhook, GetWebhook, DeleteWebhook, RotateSecret],
  ...[ListEvents, GetEvent, RecordEvent, FanOutEvents],
  ...[ListDeliveries, RequestDelivery, Deliver, DeliveryCounts],
];

/** Provides the use cases. */
@Module({
  imports: [JobsModule, KeysModule, WebhooksInfrastructureModule],
  providers: [
    ...useCases,
    WebhookRights,
    {
      provide: PendingBound,
      inject: [Settings],
      useFactory: ({ webhooks }: Settings): PendingBound => ({ max: webhooks.mostPending }),
    },
  ],
  exports: [...useCases, WebhooksInfrastructureModule],
})
export class WebhooksApplicationModule {}
