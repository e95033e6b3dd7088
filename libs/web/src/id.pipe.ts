import type { PipeTransform } from '@nestjs/common';
import { type ErrorClass, parseInt64 } from '@animal-store/kernel';

/** The number of characters of an invalid id that the message shows. */
const SHOWN_CHARACTERS = 64;

/**
 * Parses the id in a path exactly. Text that is not an int64 gets the same response as an id that does not exist.
 *
 * @throws Error of `notFound`
 */
export class IdPipe implements PipeTransform<string, bigint> {
  constructor(readonly notFound: (new (id: string) => Error) & Partial<ErrorClass>) {}

  transform(text: string): bigint {
    const id = parseInt64(text);
    if (id === null) throw new this.notFound(text.slice(0, SHOWN_CHARACTERS));
    return id;
  }
}
