import { Logger } from '@nestjs/common';
import { type Ban, bannedOf, isLifted } from '../../domain/ban.js';

interface BanOnPlan extends Ban {
  readonly plan: string;
}

/** More bans at a time are not followed: a caller with a whole network of addresses can have any number. */
const MAX_FOLLOWED = 100_000;

/** The bans that began on this server since it started and are still in force, for the metrics. Each is logged once. */
export class ActiveBans {
  private readonly logger = new Logger('RateLimits');
  private readonly bans = new Map<string, BanOnPlan>();

  began(caller: string, ban: BanOnPlan): void {
    const { keyId, account, address } = bannedOf(caller);
    const who = address === null ? { account, keyId } : { address };
    const bannedUntil = new Date(ban.untilMs).toISOString();
    const { refusals } = ban;
    const message = `A caller is banned: within a minute ${refusals} of its requests were refused. "keys unban" lifts the ban.`;
    this.logger.warn({ ...who, bannedUntil, refusals, message });
    if (this.bans.size < MAX_FOLLOWED || this.bans.has(caller)) this.bans.set(caller, ban);
  }

  /** Forgets the ban of the caller if it began at `liftedAtMs` or before. */
  lifted(caller: string, liftedAtMs: number): void {
    const ban = this.bans.get(caller);
    if (ban && isLifted(ban, liftedAtMs)) this.bans.delete(caller);
  }

  /** The number of bans in force, for each of these plans. */
  byPlan(plans: readonly string[], nowMs: number): Map<string, number> {
    const counts = new Map(plans.map((plan) => [plan, 0]));
    for (const [caller, { plan, untilMs }] of this.bans) {
      if (untilMs <= nowMs) this.bans.delete(caller);
      else counts.set(plan, (counts.get(plan) ?? 0) + 1);
    }
    return counts;
  }
}
