import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import type { ApiKey } from '../../domain/api-key.js';
import { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { isKeyId } from '../../domain/ban.js';
import {
  DeprecatedCallRepository,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';

/** Bounds the list, and its memory. */
const MAX_CALLERS = 10_000;

export interface ListedDeprecatedCaller extends DeprecatedCalls {
  /** Null when the calls are of no single key, or of one that this database does not have. */
  readonly key: ApiKey | null;
}

/** Lists who has called deprecated operations in the last 30 days, who called most first. */
@Injectable()
export class ListDeprecatedCallers {
  constructor(
    private readonly calls: DeprecatedCallRepository,
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  async execute(): Promise<ListedDeprecatedCaller[]> {
    const callers: ListedDeprecatedCaller[] = [];
    for (const caller of await this.calls.callersSince(firstStoredDay(this.clock.now()), MAX_CALLERS)) {
      const key = isKeyId(caller.keyId) ? await this.keys.findById(caller.keyId) : null;
      callers.push({ ...caller, key });
    }
    return callers;
  }
}
