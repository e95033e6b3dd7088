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
  readonly createdBy: string | null;
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
    const { createdBy, events } = webhook;
    const key = await this.workingKey(webhook, createdBy);
    if (key === null) return { createdBy, problem: 'no_key' };
    const isMissing = this.types.missingScopes(events, key.scopes).length > 0;
    const isSuspended = key.statusAt(this.clock.now()) === 'suspended';
    const problem = isMissing ? 'insufficient_scope' : isSuspended ? 'suspended' : null;
    return { createdBy: createdBy === null ? null : key.id, problem };
  }

  /** The owner key after a test by this key of the account: the one that works for longer. */
  async creatorAfterTest(webhook: Webhook, actor: Actor): Promise<string | null> {
    if (this.types.missingScopes(webhook.events, actor.scopes).length > 0) return webhook.createdBy;
    const { createdBy } = webhook;
    const [own, other] = [
      await this.workingKey(webhook, createdBy),
      await this.workingKey(webhook, actor.keyId),
    ];
    if (other === null || createdBy === null) return createdBy;
    const isLess = own === null || this.types.missingScopes(webhook.events, own.scopes).length > 0;
    return isLess || endOf(other) > endOf(own) ? other.id : createdBy;
  }

  /**
   * One that works, or will when its account is not suspended any more. A successor inherits only what was there when
   * it was made: what a replaced key makes ends with that key.
   */
  private async workingKey({ account, createdAtMs }: Webhook, id: string | null) {
    if (id === null)
      return (await this.listKeys.execute(account, { limit: 1, after: null })).items[0] ?? null;
    let next: string | null = id;
    for (let count = 0; next !== null && count < MAX_SUCCESSORS; count++) {
      const key = await this.find(account, next);
      if (next !== id && key !== null && key.createdAtMs < createdAtMs) return null;
      if (key !== null && ['active', 'suspended'].includes(key.statusAt(this.clock.now()))) return key;
      next = key?.replacedBy ?? null;
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
