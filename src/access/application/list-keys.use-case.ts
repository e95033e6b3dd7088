import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** Lists all keys in the order in which they were issued. */
@Injectable()
export class ListKeys {
  constructor(private readonly keys: ApiKeyRepository) {}

  execute(): Promise<ApiKey[]> {
    return this.keys.list();
  }
}
