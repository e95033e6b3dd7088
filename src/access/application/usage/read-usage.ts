import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '@animal-store/kernel';
import type { ApiKey } from '../../domain/api-key.js';
import { type Ban, isLifted, keyCaller, type Lift, LiftRepository, mainCaller } from '../../domain/ban.js';
import { type KeyUsage, UsageReader } from '../../domain/usage.reader.js';

/** Reads usage and bans, without those that are lifted already: the servers apply that a moment later. */
@Injectable()
export class ReadUsage {
  constructor(
    private readonly usage: UsageReader,
    private readonly lifts: LiftRepository,
  ) {}

  /**
   * Each key with the usage of its account, and its own ban.
   * @throws UsageUnavailable when the counts cannot be read.
   */
  async of(keys: readonly ApiKey[]): Promise<{ key: ApiKey; usage: KeyUsage }[]> {
    if (keys.length === 0) return [];
    const liftedAtMs = await this.liftedAtMs();
    const usages = await this.usage.usageOfAll(keys.map(keyCaller));
    return keys.map((key) => {
      const caller = keyCaller(key);
      const usage = usages.get(caller)!;
      const isLiftedBan = usage.ban !== null && isLifted(usage.ban, liftedAtMs.get(caller));
      return { key, usage: isLiftedBan ? { ...usage, ban: null } : usage };
    });
  }

  /**
   * The bans in force, by caller. Of two of one caller, the one that ends last.
   * @param of callers, to read no others
   * @throws UsageUnavailable when the counts cannot be read.
   */
  async bans(of?: readonly string[]): Promise<Map<string, Ban>> {
    const liftedAtMs = await this.liftedAtMs();
    const bans = new Map<string, Ban>();
    for (const [caller, ban] of await this.readBans(of)) {
      const who = mainCaller(caller);
      if (isLifted(ban, liftedAtMs.get(who)) || ban.untilMs <= (bans.get(who)?.untilMs ?? 0)) continue;
      bans.set(who, ban);
    }
    return bans;
  }

  private async readBans(of: readonly string[] | undefined): Promise<ReadonlyMap<string, Ban>> {
    if (of === undefined) return this.usage.bans();
    const usages = await this.usage.usageOfAll(of);
    return new Map([...usages].flatMap(([caller, { ban }]) => (ban ? [[caller, ban] as const] : [])));
  }

  private async liftedAtMs(): Promise<Map<string, number>> {
    const liftedAtMs = new Map<string, number>();
    const note = (lifts: readonly Lift[]) => {
      for (const lift of lifts) liftedAtMs.set(lift.subject, lift.liftedAtMs);
    };
    await new ChangeFeed(this.lifts, note, { sinceMs: 0 }).read();
    return liftedAtMs;
  }
}
