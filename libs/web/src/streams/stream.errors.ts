import { HttpException, ServiceUnavailableException } from '@nestjs/common';

/** 429: one caller has as many streams as it may. */
export class TooManyStreams extends HttpException {
  static readonly when = 'The account has as many streams open as it may.';
  static readonly fix =
    'Close a stream that is no longer read, or share one. The limit is the setting `MAX_STREAMS_PER_ACCOUNT`.';
  static readonly example = new TooManyStreams(10);

  constructor(max: number) {
    super({ code: 'too_many_streams', message: `No more than ${max} streams may be open at a time.` }, 429);
  }
}

/** 503: the server has no room for another stream. */
export class StreamsFull extends ServiceUnavailableException {
  static readonly when = 'The server has as many streams open as it can, or shuts down.';
  static readonly fix = 'Wait for `Retry-After` seconds: another server may respond.';
  static readonly example = new StreamsFull();

  constructor() {
    super({
      code: 'service_unavailable',
      message: 'The server cannot open another stream. Try again shortly.',
    });
  }
}

/** The errors of an operation that responds with a stream. */
export const STREAM_ERRORS = [TooManyStreams, StreamsFull] as const;
