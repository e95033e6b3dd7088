import { Injectable } from '@nestjs/common';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { Clock } from '@animal-store/kernel';
import { FindKey } from '../../access/application/find-key.use-case.js';
import { ListOwnKeys } from '../../access/application/list-own-keys.use-case.js';
import { EventTypes } from '../domain/event.js';
import type { DisabledReason, Webhook } from '../domain/webhook.js';

/** The longest chain of rotated keys that is followed. Beyond it the webhook is disabled. */
const MAX_SUCCESSORS = 1_000;

/** The caller that acts on a webhook. */
export interface Actor {
  readonly keyId: string;
  readonly scopes?: readonly string[] | null;
}

/** What is left of the rights of a webhook, which are those of its current owner key. */
export interface RightsLeft {
  /** Its owner key: a rotated one has a successor. */
  readonly ownerKey: string | null;
  /** Why it may be notified of nothing more; null when it may. */
  readonly problem: Extract<DisabledReason, 'no_key' | 'insufficient_scope'> | 'suspended' | null;
}

/** A webhook may be notified of what its key may read, while that works. */
@Injectable()
export class WebhookRights {
  constructor(
    private readonly listKeys: ListOwnKeys,
    private readonly findKey: FindKey,
    private readonly types: EventTypes,
    private readonly clock: Clock,
  ) {}

  async of(webhook: Webhook): Promise<RightsLeft> {
    const { ownerKey, events } = webhook;
    const key = await this.keyOf(webhook);
    if (key === null) return { ownerKey, problem: 'no_key' };
    const isMissing = this.types.missingScopes(events, key.scopes).length > 0;
    const isSuspended = key.statusAt(this.clock.now()) === 'suspended';
    const problem = isMissing ? 'insufficient_scope' : isSuspended ? 'suspended' : null;
    return { ownerKey: ownerKey === null ? null : key.id, problem };
  }

  /** The owner key after a test by this key of the account: the one that works for longer. */
  async ownerAfterTest(webhook: Webhook, actor: Actor): Promise<string | null> {
    const { ownerKey, events } = webhook;
    if (ownerKey === null || this.types.missingScopes(events, actor.scopes).length > 0) return ownerKey;
    const [own, other] = [await this.keyOf(webhook), await this.workingKey(webhook, actor.keyId)];
    if (other === null) return ownerKey;
    const isLess = own === null || this.types.missingScopes(events, own.scopes).length > 0;
    return isLess || endOf(other) > endOf(own) ? other.id : ownerKey;
  }

  /** That of its owner, or when it has ended that of its maker. */
  private async keyOf(webhook: Webhook) {
    const { account, ownerKey, createdBy } = webhook;
    if (ownerKey === null)
      return (await this.listKeys.execute(account, { limit: 1, after: null })).items[0] ?? null;
    return (await this.workingKey(webhook, ownerKey)) ?? this.workingKey(webhook, createdBy);
  }

  /**
   * One that works, or will when its account is not suspended any more. A successor inherits only what was there when
   * it was made, and from a key that ended by the rotation: what a replaced key makes ends with that key, and all of a
   * key that is revoked ends then.
   */
  private async workingKey({ account, createdAtMs }: Webhook, id: string | null) {
    let revokedAtMs: number | null = null;
    for (let [next, count] = [id, 0]; next !== null && count < MAX_SUCCESSORS; count++) {
      const key = await this.find(account, next);
      if (key === null) return null;
      // A rotation without a grace revokes in the same change.
      if (revokedAtMs !== null && revokedAtMs !== key.createdAtMs) return null;
      if (next !== id && key.createdAtMs < createdAtMs) return null;
      if (['active', 'suspended'].includes(key.statusAt(this.clock.now()))) return key;
      ({ revokedAtMs, replacedBy: next } = key);
    }
    return null;
  }

  private find(account: string, id: string) {
    return this.findKey.execute({ id, account }).catch((error: unknown) => {
      if (error instanceof ApiKeyNotFound) return null;
      throw error;
    });
  }
}

function endOf({ expiresAtMs }: { readonly expiresAtMs: number | null }): number {
  return expiresAtMs ?? Infinity;
}
