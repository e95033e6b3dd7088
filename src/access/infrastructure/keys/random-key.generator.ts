import { Injectable } from '@nestjs/common';
import { type KeySecret, newKeySecret } from '@animal-store/api-keys/issuing';
import { Settings } from '../../../settings/settings.js';
import { KeyGenerator } from '../../domain/api-key.js';

/** Generates keys from the system's random source, for the environment in the settings. */
@Injectable()
export class RandomKeyGenerator extends KeyGenerator {
  constructor(private readonly settings: Settings) {
    super();
  }

  generate(): KeySecret {
    return newKeySecret(this.settings.api.keyPrefix);
  }
}
