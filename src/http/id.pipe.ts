import type { PipeTransform } from '@nestjs/common';
import { parseInt64 } from '../shared/int64.js';

/**
 * Reads the id in a path, exactly. Text that is no int64 cannot name anything, so it is answered like an id that nobody
 * has.
 *
 * @throws Error of `notFound`
 * @example
 * ```ts
 * getPet(@Param('petId', new IdPipe(PetNotFound)) petId: bigint) {}
 * ```
 */
export class IdPipe implements PipeTransform<string, bigint> {
  constructor(private readonly notFound: new () => Error) {}

  transform(text: string): bigint {
    const id = parseInt64(text);
    if (id === null) throw new this.notFound();
    return id;
  }
}
