import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobOutbox } from '@animal-store/jobs';
import { RecordEvent } from '../application/events/record-event.use-case.js';

/** Has the outbox store events as they are sent, in the transactions that cause them. */
@Injectable()
export class EventRecorder implements OnModuleInit {
  constructor(
    private readonly outbox: JobOutbox,
    private readonly recordEvent: RecordEvent,
  ) {}

  onModuleInit(): void {
    this.outbox.recordWith(this.recordEvent);
  }
}
