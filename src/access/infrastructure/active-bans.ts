import { Injectable } from '@nestjs/common';

interface Ban {
  readonly plan: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** More bans at a time are not followed: a caller with a whole network of addresses can have any number. */
const MAX_FOLLOWED = 100_000;

/** The bans that began on this server since it started and are still in force, for the metrics. */
@Injectable()
export class ActiveBans {
  private readonly bans = new Map<string, Ban>();

  began(subject: string, ban: Ban): void {
    if (this.bans.size < MAX_FOLLOWED || this.bans.has(subject)) this.bans.set(subject, ban);
  }

  /** Forgets the ban of the subject if it began at `liftedAtMs` or before. */
  lifted(subject: string, liftedAtMs: number): void {
    if ((this.bans.get(subject)?.fromMs ?? Infinity) <= liftedAtMs) this.bans.delete(subject);
  }

  /** The number of bans in force, for each of these plans. */
  byPlan(plans: readonly string[], nowMs: number): Map<string, number> {
    const counts = new Map(plans.map((plan) => [plan, 0]));
    for (const [subject, { plan, untilMs }] of this.bans) {
      if (untilMs <= nowMs) this.bans.delete(subject);
      else counts.set(plan, (counts.get(plan) ?? 0) + 1);
    }
    return counts;
  }
}
