import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { UsageUnknown } from '../domain/api-key.errors.js';
import { AddressLiftRepository, isKeyId } from '../domain/ban.js';
import { ChangeKey } from './change-key.use-case.js';
import { ListBans } from './list-bans.use-case.js';

export interface LiftedBan {
  /** Null for an address. */
  readonly key: ApiKey | null;
  /** Null when the counts cannot be read: the servers lift the ban all the same, if there is one. */
  readonly wasBanned: boolean | null;
}

/** Lifts the ban of a key or an address, if it has one. Running servers poll for lifts. */
@Injectable()
export class LiftBan {
  constructor(
    private readonly listBans: ListBans,
    private readonly changeKey: ChangeKey,
    private readonly lifts: AddressLiftRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @param who the id of a key, or an address as it is counted: an IPv6 address by its /64
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute(who: string): Promise<LiftedBan> {
    const wasBanned = await this.listBans.execute({ of: who }).then(
      (bans) => bans.length > 0,
      (error: unknown) => {
        if (error instanceof UsageUnknown) return null;
        throw error;
      },
    );
    const key = isKeyId(who) ? await this.changeKey.liftBan(who) : null;
    if (!key) await this.unitOfWork.run((transaction) => this.lifts.add(who, this.clock.now(), transaction));
    return { key, wasBanned };
  }
}
