import type { PipeTransform } from '@nestjs/common';
import { parseInt64 } from '../../shared/int64.js';

/** Of what stands there instead of an id, so much is told back. */
const SHOWN_CHARACTERS = 64;

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
  constructor(private readonly notFound: new (id: string) => Error) {}

  transform(text: string): bigint {
    const id = parseInt64(text);
    if (id === null) throw new this.notFound(text.slice(0, SHOWN_CHARACTERS));
    return id;
  }
}
