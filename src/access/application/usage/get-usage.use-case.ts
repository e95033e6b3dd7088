import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { keyCaller } from '../../domain/ban.js';
import {
  DeprecatedCallRepository,
  type DeprecatedCalls,
  firstStoredDay,
} from '../../domain/deprecated-calls.js';
import { type KeyUsage, LiveUsage } from '../../domain/usage.reader.js';

export interface AccountUsage {
  readonly usage: KeyUsage;
  /** Of the last 30 days, by key and operation, the most calls first. */
  readonly deprecatedCalls: readonly DeprecatedCalls[];
}

/** Says what an account has used, whether the key that asks is banned, and which deprecated operations its keys call. */
@Injectable()
export class GetUsage {
  constructor(
    private readonly usage: LiveUsage,
    private readonly calls: DeprecatedCallRepository,
    private readonly clock: Clock,
  ) {}

  async execute(keyId: string, account: string): Promise<AccountUsage> {
    const deprecatedCalls = await this.calls.ofAccount(account, firstStoredDay(this.clock.now()));
    return { usage: await this.usage.of(keyCaller({ id: keyId, account })), deprecatedCalls };
  }
}
