import { Module, type OnModuleInit, Optional } from '@nestjs/common';
import { JobOutbox, JobsModule } from '@animal-store/jobs';
import { Metrics } from '@animal-store/operations';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { Deliver } from './application/deliveries/deliver.use-case.js';
import { FanOutEvents } from './application/events/fan-out-events.service.js';
import { WebhooksApplicationModule } from './application/webhooks-application.module.js';
import { EventsController } from './http/events.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { DeliverJob } from './jobs/deliver.job.js';

/** Who is notified of what: the controllers, and the job that delivers. */
@Module({
  imports: [IdempotencyModule, JobsModule, WebhooksApplicationModule],
  controllers: [EventsController, WebhooksController],
  providers: [DeliverJob],
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
