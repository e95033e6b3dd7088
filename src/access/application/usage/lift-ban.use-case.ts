import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import { type ApiKey, instant } from '../../domain/api-key.js';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { UsageUnavailable } from '../../domain/api-key.errors.js';
import { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { keyCaller, LiftRepository, withSeparateBans } from '../../domain/ban.js';
import { KeyHistory, Operator } from '../../domain/key-history.js';
import { ReadUsage } from './read-usage.js';

/** Whose ban: of a key, or of an address as it is counted, an IPv6 address by its /64. */
export type LiftBanInput = { readonly keyId: string } | { readonly address: string };

export interface LiftedBan {
  /** Null unless it was named. */
  readonly key: ApiKey | null;
  /** Null when the counts cannot be read: the servers lift the ban all the same, if there is one. */
  readonly wasBanned: boolean | null;
}

/** Lifts the ban of a key or an address, if it has one. Running servers poll for lifts. */
@Injectable()
export class LiftBan {
  constructor(
    private readonly usage: ReadUsage,
    private readonly keys: ApiKeyRepository,
    private readonly lifts: LiftRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly history: KeyHistory,
    private readonly operator: Operator,
  ) {}

  /** @throws ApiKeyNotFound when no key has this id. */
  async execute(who: LiftBanInput): Promise<LiftedBan> {
    const key = 'keyId' in who ? await this.keys.findById(who.keyId) : null;
    if ('keyId' in who && key === null) throw new ApiKeyNotFound(who.keyId);
    const caller = 'address' in who ? who.address : keyCaller(key!);
    const bannedUntil = await this.usage.bans(withSeparateBans(caller)).then(
      (bans) => instant(bans.get(caller)?.untilMs ?? null),
      (error: unknown) => {
        if (error instanceof UsageUnavailable) return 'unknown';
        throw error;
      },
    );
    const atMs = this.clock.now();
    const change = { before: { bannedUntil }, after: { bannedUntil: null } };
    const lift = { subject: key?.id ?? caller, atMs, by: this.operator.name, ...change };
    await this.unitOfWork.run(async (transaction) => {
      await this.lifts.add(caller, atMs, transaction);
      await this.history.add(lift, transaction);
    });
    return { key, wasBanned: bannedUntil === 'unknown' ? null : bannedUntil !== null };
  }
}
