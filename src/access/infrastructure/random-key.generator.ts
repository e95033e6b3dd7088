import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { generateApiKey, hashApiKey } from '@animal-store/api-keys';
import { Settings } from '../../settings/settings.js';
import { KeyGenerator, type KeySecret } from '../domain/api-key.js';

/** Generates keys from the system's random source, for the environment in the settings. */
@Injectable()
export class RandomKeyGenerator extends KeyGenerator {
  constructor(private readonly settings: Settings) {
    super();
  }

  generate(): KeySecret {
    const text = generateApiKey(this.settings.api.keyPrefix);
    return { id: `key_${randomBytes(8).toString('hex')}`, text, hash: hashApiKey(text) };
  }
}
