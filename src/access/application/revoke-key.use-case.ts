import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ChangeKey } from './change-key.js';

/** Revokes a key. It cannot be made valid again. */
@Injectable()
export class RevokeKey {
  constructor(private readonly changeKey: ChangeKey) {}

  /** @throws ApiKeyNotFound when no key has this id. */
  execute(id: string): Promise<ApiKey> {
    return this.changeKey.execute(id, (key, nowMs) => key.revoke(nowMs));
  }
}
