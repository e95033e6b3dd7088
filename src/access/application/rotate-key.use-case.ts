import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { KeyGenerator } from '../domain/key-generator.js';
import type { IssuedKey } from './create-key.use-case.js';

export interface RotateKeyInput {
  readonly id: string;
  /** How long the old key still works; with 0 it is revoked at once. */
  readonly graceMs: number;
}

export interface RotatedKey extends IssuedKey {
  readonly replaced: ApiKey;
}

/** Issues a new key that replaces an old one. */
@Injectable()
export class RotateKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly generator: KeyGenerator,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired, revoked or already replaced.
   */
  execute({ id, graceMs }: RotateKeyInput): Promise<RotatedKey> {
    const secret = this.generator.generate();
    const nowMs = this.clock.now();
    return this.unitOfWork.run(async (transaction) => {
      let successor: ApiKey | null = null;
      const rotate = (key: ApiKey): ApiKey => {
        const rotated = key.rotate(secret, graceMs, nowMs);
        successor = rotated.successor;
        return rotated.replaced;
      };
      const replaced = await this.keys.change(id, rotate, transaction);
      if (!replaced || !successor) throw new ApiKeyNotFound(id);
      await this.keys.add(successor, transaction);
      return { key: successor, text: secret.text, replaced };
    });
  }
}
