import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { parseInt64 } from '@animal-store/kernel';
import { declareErrors, READS_NOTHING } from '@animal-store/kernel/http';
import { InvalidParameter } from '../responses/request.errors.js';

export class InvalidLastEventId extends InvalidParameter {
  static override readonly when = 'The `Last-Event-ID` is not the id of an event, or is ahead of the stream.';
  static override readonly fix =
    'Send the `id` of the last event that you have, unchanged; or no header, to begin again.';
  static override readonly example = new InvalidLastEventId();

  constructor() {
    super('Last-Event-ID must be the id of an event of the stream.');
  }
}

const ID = { type: 'integer', format: 'int64', minimum: 0 };

const ReadLastEventId = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext): bigint | null => {
      const header = context.switchToHttp().getRequest<IncomingMessage>().headers['last-event-id'];
      // Node joins a repeated one with a comma, which is no id.
      if (header === undefined || header === '') return null;
      const id = parseInt64(String(header));
      if (id === null || id < 0n) throw new InvalidLastEventId();
      return id;
    },
    { [READS_NOTHING]: true },
  ),
);

/**
 * The `id` of the last event that the caller has, which continues a stream; null for a new one. The ids of the events
 * are those of rows.
 *
 * @throws InvalidLastEventId
 * @example
 * ```ts
 * @Sse('changes')
 * changes(@LastEventId() after: bigint | null) {}
 * ```
 */
export function LastEventId(): ParameterDecorator {
  return (target, name, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name!)!;
    ReadLastEventId()(target, name, index);
    declareErrors([InvalidLastEventId])(target, name!, descriptor);
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The `id` of the last event that you have: the stream continues after it.',
      schema: ID,
    })(target, name!, descriptor);
  };
}
