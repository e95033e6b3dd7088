import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** Whether any key was ever issued. */
@Injectable()
export class HasKeys {
  constructor(private readonly keys: ApiKeyRepository) {}

  async execute(): Promise<boolean> {
    return !(await this.keys.isEmpty());
  }
}
