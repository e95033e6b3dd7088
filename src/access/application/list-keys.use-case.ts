import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { PlanName } from '../domain/plan.js';
import type { KeyUsage } from '../domain/usage.reader.js';
import { ReadUsage } from './usage/read-usage.js';

export interface ListKeysInput {
  // Each of these narrows the list further.
  readonly active?: boolean;
  readonly plan?: PlanName;
  readonly account?: string;
  /** Only keys that were not used for so long, by whole UTC days; an unused key counts from its issue. */
  readonly unusedForMs?: number;
  /** Whether to read what the account of each key has used, and whether the key is banned. */
  readonly usage?: boolean;
}

export interface ListedKey {
  readonly key: ApiKey;
  /** Null when it was not read. */
  readonly usage: KeyUsage | null;
}

/** Lists keys in the order in which they were issued. */
@Injectable()
export class ListKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: ReadUsage,
    private readonly clock: Clock,
  ) {}

  /**
   * A batch at a time: each comes before the next one is read.
   * @throws UsageUnavailable when the usage is needed and the counts cannot be read.
   */
  async *execute(input: ListKeysInput = {}): AsyncIterable<readonly ListedKey[]> {
    const { plan, account, active, unusedForMs, usage } = input;
    const nowMs = this.clock.now();
    const batches = this.keys.batches({
      plan,
      account,
      activeAtMs: active ? nowMs : undefined,
      unusedSinceDay: unusedForMs === undefined ? undefined : Math.floor((nowMs - unusedForMs) / DAY_MS),
    });
    for await (const batch of batches)
      yield usage ? await this.usage.of(batch) : batch.map((key) => ({ key, usage: null }));
  }
}
