import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { KeyGenerator } from '../domain/api-key.js';
import { Plans } from '../domain/plan.js';
import type { IssuedKey } from './create-key.use-case.js';

/** Issues a Free key when there are no keys yet, so that a new installation can be tried at once. */
@Injectable()
export class CreateFirstKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: Plans,
    private readonly generator: KeyGenerator,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Whether no key was ever issued. */
  isDue(): Promise<boolean> {
    return this.keys.isEmpty();
  }

  /** The key, or null when there are keys already. */
  execute(): Promise<IssuedKey | null> {
    return this.unitOfWork.run(async (transaction) => {
      if (!(await this.keys.isEmpty(transaction))) return null;
      const secret = this.generator.generate();
      const key = ApiKey.issue(secret, { name: 'first key', plan: this.plans.of('free') }, this.clock.now());
      await this.keys.add(key, transaction);
      return { key, text: secret.text };
    });
  }
}
