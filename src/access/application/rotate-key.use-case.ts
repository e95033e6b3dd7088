import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { KeyGenerator } from '../domain/api-key.js';
import { ChangeKey } from './change-key.js';
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
    private readonly changeKey: ChangeKey,
    private readonly keys: ApiKeyRepository,
    private readonly generator: KeyGenerator,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired, revoked or already replaced.
   */
  execute({ id, graceMs }: RotateKeyInput): Promise<RotatedKey> {
    const secret = this.generator.generate();
    return this.unitOfWork.run(async (transaction) => {
      let successor: ApiKey;
      const rotate = (key: ApiKey, nowMs: number): ApiKey => {
        const rotated = key.rotate(secret, graceMs, nowMs);
        successor = rotated.successor;
        return rotated.replaced;
      };
      const replaced = await this.changeKey.execute(id, rotate, transaction);
      await this.keys.add(successor!, transaction);
      return { key: successor!, text: secret.text, replaced };
    });
  }
}
