import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { PlanName } from '../domain/plan.js';
import { type KeyUsage, UsageReader, withoutLiftedBan } from '../domain/usage.reader.js';

export const KEY_ORDERS = ['created', 'name', 'account', 'plan', 'expires', 'used'] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

/** Every part narrows the list further. */
export interface KeyFilter {
  readonly active?: boolean;
  readonly banned?: boolean;
  readonly plan?: PlanName;
  readonly account?: string;
  /** A part of the name, in any case. */
  readonly name?: string;
}

export interface ListKeysInput extends KeyFilter {
  readonly sort?: KeyOrder;
  readonly reverse?: boolean;
  /** Whether to read what each key has used. A filter or an order that needs it reads it anyway. */
  readonly usage?: boolean;
  /** How many keys a page has. Without it there is one page. */
  readonly limit?: number;
  /** 1 is the first page. */
  readonly page?: number;
}

export interface ListedKey {
  readonly key: ApiKey;
  /** Null when it was not read. */
  readonly usage: KeyUsage | null;
}

export interface ListedKeys {
  readonly keys: readonly ListedKey[];
  /** The keys on all pages. */
  readonly total: number;
}

/** Lists keys in the order in which they were issued, or in another one. */
@Injectable()
export class ListKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: UsageReader,
    private readonly clock: Clock,
  ) {}

  /** @throws UsageUnknown when the usage is needed and the counts cannot be read. */
  async execute(input: ListKeysInput = {}): Promise<ListedKeys> {
    const matching = (await this.keys.list()).filter((key) => this.matches(key, input));
    const chooses = input.banned === true || input.sort === 'used';
    // The usage of every key is read only if it decides which keys are listed.
    const listed = chooses ? await this.withUsage(matching) : matching.map(withoutUsage);
    const chosen = input.banned ? listed.filter(({ usage }) => usage?.ban) : listed;
    sort(chosen, input);
    const { limit = chosen.length, page = 1 } = input;
    const keys = chosen.slice((page - 1) * limit, page * limit);
    const isWanting = input.usage === true && !chooses;
    return {
      keys: isWanting ? await this.withUsage(keys.map(({ key }) => key)) : keys,
      total: chosen.length,
    };
  }

  private matches(key: ApiKey, { active, plan, account, name }: KeyFilter): boolean {
    return (
      (!active || key.statusAt(this.clock.now()) === 'active') &&
      (plan === undefined || key.plan.name === plan) &&
      (account === undefined || key.account === account) &&
      (name === undefined || key.name.toLowerCase().includes(name.toLowerCase()))
    );
  }

  private async withUsage(keys: readonly ApiKey[]): Promise<ListedKey[]> {
    const usage = await this.usage.usageOfAll(keys.map(({ id }) => id));
    return keys.map((key) => ({ key, usage: withoutLiftedBan(usage.get(key.id)!, key) }));
  }
}

function withoutUsage(key: ApiKey): ListedKey {
  return { key, usage: null };
}

/** Sorts in place. Keys that are equal stay in the order in which they were issued. */
function sort(keys: ListedKey[], { sort: order = 'created', reverse = false }: ListKeysInput): void {
  const compare = ORDERS[order];
  if (compare) keys.sort(compare);
  if (reverse) keys.reverse();
}

const byText = (text: (key: ApiKey) => string) => (a: ListedKey, b: ListedKey) =>
  text(a.key).localeCompare(text(b.key), 'en');

/** Null: the keys are read in this order. */
const ORDERS: Record<KeyOrder, ((a: ListedKey, b: ListedKey) => number) | null> = {
  created: null,
  name: byText(({ name }) => name),
  account: byText(({ account }) => account),
  plan: byText(({ plan }) => plan.name),
  // The first to expire comes first.
  expires: (a, b) => expiry(a) - expiry(b),
  // The most used key comes first.
  used: (a, b) => b.usage!.day.used - a.usage!.day.used,
};

/** Later than any date when the key does not expire; a number, as infinities cannot be subtracted. */
function expiry({ key }: ListedKey): number {
  return key.expiresAtMs ?? Number.MAX_SAFE_INTEGER;
}
