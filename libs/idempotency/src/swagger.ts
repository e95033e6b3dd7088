import { ApiHeader } from '@nestjs/swagger';
import { Idempotent as IdempotentAtRunTime, type IdempotentOptions } from './idempotent.decorator.js';
import { IDEMPOTENCY_KEY } from './idempotent-request.js';

/** Does what `@Idempotent` of `@animal-store/idempotency` does, and puts the header into the OpenAPI document. */
export function Idempotent(options: IdempotentOptions = {}): MethodDecorator {
  return (target, name, descriptor) => {
    IdempotentAtRunTime(options)(target, name, descriptor);
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: false,
      description:
        'Makes a retry safe: for 24 hours the same key with the same input gets the first response again, ' +
        'marked `Idempotent-Replayed: true`, and nothing else happens. ' +
        (options.replayTo === 'key'
          ? 'Only the API key that sent the first request gets it, as it shows a secret. '
          : 'Another API key of the account gets it too. ') +
        '1 to 255 visible ASCII characters, bare or in double quotes.',
      schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]+$' },
    })(target, name, descriptor);
  };
}
