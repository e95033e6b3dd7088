import { Module } from '@nestjs/common';
import { Scopes } from '@animal-store/api-keys/issuing';
import { OutgoingClient } from '@animal-store/web/outgoing';
import { scopes } from '../../contexts.js';
import { events } from '../../events.js';
import { Settings } from '../../settings/settings.js';
import { DeliveryRepository } from '../domain/delivery.repository.js';
import { EventTypes } from '../domain/event.js';
import { EventRepository } from '../domain/event.repository.js';
import { Receivers } from '../domain/receivers.js';
import { WebhookRepository } from '../domain/webhook.repository.js';
import { HttpReceivers } from './deliveries/http-receivers.js';
import {
  RemoveEndedDeliveries,
  TypeOrmDeliveryRepository,
} from './deliveries/typeorm-delivery.repository.js';
import { RemoveOldEvents, TypeOrmEventRepository } from './events/typeorm-event.repository.js';
import { TypeOrmWebhookRepository } from './subscriptions/typeorm-webhook.repository.js';

const ports = [EventTypes, EventRepository, WebhookRepository, DeliveryRepository, Receivers];

/** Provides the ports. */
@Module({
  providers: [
    { provide: EventTypes, useFactory: () => new EventTypes(events, new Scopes(scopes)) },
    {
      provide: OutgoingClient,
      inject: [Settings],
      useFactory: ({ mode, outgoing }: Settings) =>
        new OutgoingClient({ allowHttp: mode !== 'production', allowPrivate: outgoing.allowPrivate }),
    },
    { provide: EventRepository, useClass: TypeOrmEventRepository },
    { provide: WebhookRepository, useClass: TypeOrmWebhookRepository },
    { provide: DeliveryRepository, useClass: TypeOrmDeliveryRepository },
    { provide: Receivers, useClass: HttpReceivers },
    RemoveEndedDeliveries,
    RemoveOldEvents,
  ],
  exports: ports,
})
export class WebhooksInfrastructureModule {}
