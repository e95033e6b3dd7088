import { GoneException } from '@nestjs/common';

/** 410: the operation is past its sunset. */
export class OperationRemoved extends GoneException {
  static readonly when = 'The operation has been removed.';
  static readonly fix = '`Link; rel="successor-version"` is the URL of its replacement.';
  static readonly example = new OperationRemoved('This operation was removed on 2030-12-05.');

  constructor(message: string) {
    super({ code: 'operation_removed', message });
  }
}
