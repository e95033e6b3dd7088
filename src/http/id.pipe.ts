import type { PipeTransform } from '@nestjs/common';
import { parseInt64 } from '../shared/int64.js';

/** An id in a path. Text that is no int64 cannot name anything, so it is answered like an id nobody has. */
export class IdPipe implements PipeTransform<string, bigint> {
  constructor(private readonly notFound: new () => Error) {}

  transform(text: string): bigint {
    const id = parseInt64(text);
    if (id === null) throw new this.notFound();
    return id;
  }
}
