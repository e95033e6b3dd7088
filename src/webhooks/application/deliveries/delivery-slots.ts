import { RANKS } from '../../domain/delivery.js';
import type { Webhook } from '../../domain/webhook.js';

/** How many requests a process sends at once. */
const SLOTS = 100;
/** How many of them are left to accounts' own events. */
const SLOTS_OF_OWN = 20;
/** How many of them an account may have. */
const MAX_OF_ACCOUNT = 10;
/** A host may have more, so that no account has all of them. */
const MAX_OF_HOST = 20;

export type SlotOwner = Pick<Webhook, 'account' | 'url'>;

interface Waiting {
  readonly owners: readonly string[];
  readonly isOwn: boolean;
  readonly begin: () => void;
}

/**
 * What a process does at once for webhooks, such as the requests that it sends. Accounts take turns, their own events
 * before everybody's, so that an account with many or slow receivers does not delay the others.
 */
export class DeliverySlots {
  private readonly claimed = new Map<string, number>();
  /** By account, the one whose turn is next first. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(
    private free = SLOTS,
    private readonly ofOwn = SLOTS_OF_OWN,
  ) {}

  /**
   * Waits for a slot, and runs `work` on it.
   * @returns null, without having run it, when `signal` was aborted before
   */
  async on<T>(
    owner: SlotOwner,
    rank: number,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null> {
    const owners = ownersOf(owner);
    if (!(await this.isClaimed(owner.account, owners, rank <= RANKS.own, signal))) return null;
    try {
      return await work();
    } finally {
      for (const one of owners) this.count(one, -1);
      this.free++;
      this.startNext();
    }
  }

  private isClaimed(
    account: string,
    owners: readonly string[],
    isOwn: boolean,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const abort = () => {
        this.leave(account, one);
        resolve(false);
      };
      const begin = () => {
        signal?.removeEventListener('abort', abort);
        resolve(true);
      };
      const one = { owners, isOwn, begin };
      if (signal?.aborted) return resolve(false);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.set(account, [...(this.waiting.get(account) ?? []), one]);
      this.startNext();
    });
  }

  private startNext(): void {
    for (const mustBeOwn of [true, false])
      while (this.free > (mustBeOwn ? 0 : this.ofOwn)) {
        const next = this.next(mustBeOwn);
        if (next === null) break;
        for (const owner of next.owners) this.count(owner, 1);
        this.free--;
        next.begin();
      }
  }

  private next(mustBeOwn: boolean): Waiting | null {
    for (const [account, all] of this.waiting) {
      const next = all.find(
        (one) => (one.isOwn || !mustBeOwn) && one.owners.every((owner) => this.hasRoom(owner)),
      );
      if (next === undefined) continue;
      this.leave(account, next);
      // The others have their turns before it.
      const left = this.waiting.get(account);
      if (this.waiting.delete(account)) this.waiting.set(account, left!);
      return next;
    }
    return null;
  }

  private leave(account: string, one: Waiting): void {
    const others = this.waiting.get(account)!.filter((other) => other !== one);
    if (others.length > 0) this.waiting.set(account, others);
    else this.waiting.delete(account);
  }

  private hasRoom(owner: string): boolean {
    return (this.claimed.get(owner) ?? 0) < (owner.startsWith('host ') ? MAX_OF_HOST : MAX_OF_ACCOUNT);
  }

  private count(owner: string, change: number): void {
    const count = (this.claimed.get(owner) ?? 0) + change;
    if (count > 0) this.claimed.set(owner, count);
    else this.claimed.delete(owner);
  }
}

function ownersOf({ account, url }: SlotOwner): readonly string[] {
  return [`account ${account}`, `host ${new URL(url).hostname}`];
}
