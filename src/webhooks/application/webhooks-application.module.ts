import { Module } from '@nestjs/common';
import { JobsModule, JobTime } from '@animal-store/jobs';
import { Clock } from '@animal-store/kernel';
import { KeysModule } from '../../access/keys.module.js';
import { Settings } from '../../settings/settings.js';
import { WebhooksInfrastructureModule } from '../infrastructure/webhooks-infrastructure.module.js';
import { Deliver } from './deliveries/deliver.use-case.js';
import { EventInterests, WebhookSettings } from './events/event-interests.js';
import { FanOutEvents } from './events/fan-out-events.service.js';
import { ReadEvents } from './events/read-events.service.js';
import { OwnWebhooks } from './own-webhooks.service.js';
import { WebhookRights } from './webhook-rights.js';

const useCases = [OwnWebhooks, ReadEvents, FanOutEvents, Deliver];

/** Provides the use cases. */
@Module({
  imports: [JobsModule, KeysModule, WebhooksInfrastructureModule],
  providers: [
    ...useCases,
    EventInterests,
    WebhookRights,
    // The clocks of servers may differ, and one plans what another does.
    { provide: Clock, useExisting: JobTime },
    {
      provide: WebhookSettings,
      inject: [Settings],
      useFactory: ({ webhooks }: Settings) => webhooks,
    },
  ],
  exports: [...useCases, WebhooksInfrastructureModule],
})
export class WebhooksApplicationModule {}
