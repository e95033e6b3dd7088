import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import {
  addressOf,
  AddressLiftRepository,
  type Ban,
  isKeyId,
  isLifted,
  preflightsOf,
} from '../domain/ban.js';
import { UsageReader } from '../domain/usage.reader.js';

/** A ban of a key or of an address without one. */
export interface ListedBan extends Ban {
  readonly keyId: string | null;
  readonly address: string | null;
  /** Null for an address, and when this database has no such key. */
  readonly key: ApiKey | null;
}

/** Lists who is banned, the latest ban first. */
@Injectable()
export class ListBans {
  constructor(
    private readonly usage: UsageReader,
    private readonly keys: ApiKeyRepository,
    private readonly lifts: AddressLiftRepository,
  ) {}

  /**
   * @param of the id of a key or an address, to list no others
   * @throws UsageUnknown when the counts cannot be read.
   */
  async execute({ of }: { readonly of?: string } = {}): Promise<ListedBan[]> {
    const listed = new Map<string, ListedBan>();
    const liftedAtMs = await this.liftedAddresses();
    const bans = await (of === undefined ? this.usage.bans() : this.usage.bansOf([of, preflightsOf(of)]));
    for (const [subject, ban] of bans) {
      const keyId = isKeyId(subject) ? subject : null;
      const address = keyId === null ? addressOf(subject) : null;
      const key = keyId === null ? null : await this.keys.findById(keyId);
      if (isLifted(ban, address === null ? key?.banLiftedAtMs : liftedAtMs.get(address))) continue;
      const who = keyId ?? address!;
      // An address may be banned for its preflights too.
      if (ban.untilMs > (listed.get(who)?.untilMs ?? 0)) listed.set(who, { keyId, address, key, ...ban });
    }
    return [...listed.values()].sort((a, b) => b.sinceMs - a.sinceMs);
  }

  private async liftedAddresses(): Promise<Map<string, number>> {
    const liftedAtMs = new Map<string, number>();
    for await (const lifts of this.lifts.after(0)) {
      for (const lift of lifts) liftedAtMs.set(lift.address, lift.liftedAtMs);
    }
    return liftedAtMs;
  }
}
