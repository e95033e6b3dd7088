import type { KeySecret } from '@animal-store/api-keys/issuing';
import { KeyGenerator } from '../domain/api-key.js';

/** Generates key_1, key_2 and so on instead of random keys. */
export class NumberedKeyGenerator extends KeyGenerator {
  private count = 0;

  generate(): KeySecret {
    const number = ++this.count;
    return { id: `key_${number}`, text: `text of key_${number}`, hash: `hash of key_${number}` };
  }
}
