import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository, type StoredKeyFilter } from '../domain/api-key.repository.js';
import type { PlanName } from '../domain/plan.js';
import type { KeyUsage } from '../domain/usage.reader.js';
import { ReadUsage } from './usage/read-usage.js';

export const KEY_ORDERS = ['created', 'name', 'account', 'plan', 'expires', 'used'] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

export interface ListKeysInput {
  // Each of these narrows the list further.
  readonly active?: boolean;
  readonly banned?: boolean;
  readonly plan?: PlanName;
  readonly account?: string;
  /** Only keys that were not used for so long, by whole UTC days; an unused key counts from its issue. */
  readonly unusedForMs?: number;
  /** A part of the name, in any case. */
  readonly name?: string;
  readonly sort?: KeyOrder;
  readonly reverse?: boolean;
  /** Whether to read what the account of each key has used. A filter or an order that needs it reads it anyway. */
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
    private readonly usage: ReadUsage,
    private readonly clock: Clock,
  ) {}

  /** @throws UsageUnknown when the usage is needed and the counts cannot be read. */
  async execute(input: ListKeysInput = {}): Promise<ListedKeys> {
    const { name, banned, sort = 'created', limit, page = 1, reverse, usage } = input;
    const filter = this.filterOf(input);
    if (limit !== undefined && name === undefined && !banned && sort === 'created') {
      const keys = await this.keys.page(filter, { skip: (page - 1) * limit, limit, reverse });
      const total = await this.keys.count(filter);
      return { keys: await this.listed(keys, usage), total };
    }
    const chosen = await this.choose(filter, input);
    if (!usage || decidesByUsage(input)) return chosen;
    return { ...chosen, keys: await this.usage.of(chosen.keys.map(({ key }) => key)) };
  }

  /**
   * All keys, whatever the page is, a batch at a time. In the order in which they were issued each batch comes before the
   * next one is read; any other order reads all of them first.
   * @throws UsageUnknown when the usage is needed and the counts cannot be read.
   */
  async *batches(input: ListKeysInput): AsyncIterable<readonly ListedKey[]> {
    const { sort = 'created', reverse, usage, banned } = input;
    if (sort === 'created' && !reverse) yield* this.matching(this.filterOf(input), input, usage || banned);
    else yield (await this.execute({ ...input, limit: undefined, page: undefined })).keys;
  }

  private filterOf({ plan, account, active, unusedForMs }: ListKeysInput): StoredKeyFilter {
    const nowMs = this.clock.now();
    return {
      plan,
      account,
      activeAtMs: active ? nowMs : undefined,
      unusedSinceDay: unusedForMs === undefined ? undefined : Math.floor((nowMs - unusedForMs) / DAY_MS),
    };
  }

  /** Reads every key that may be on the page, but holds no more of them than the pages up to this one. */
  private async choose(filter: StoredKeyFilter, input: ListKeysInput): Promise<ListedKeys> {
    const { limit = Infinity, page = 1 } = input;
    const compare = comparison(input);
    const end = page * limit;
    let chosen: ListedKey[] = [];
    let total = 0;
    // The usage of every key is read only if it decides which keys are listed.
    for await (const matching of this.matching(filter, input, decidesByUsage(input))) {
      total += matching.length;
      chosen = [...chosen, ...matching];
      if (chosen.length > end) chosen = chosen.sort(compare).slice(0, end);
    }
    return { keys: chosen.sort(compare).slice(limit === Infinity ? 0 : end - limit), total };
  }

  private async *matching(
    filter: StoredKeyFilter,
    { name = '', banned }: ListKeysInput,
    withUsage?: boolean,
  ): AsyncIterable<ListedKey[]> {
    const part = name.toLowerCase();
    for await (const batch of this.keys.batches(filter)) {
      const named = part === '' ? batch : batch.filter((key) => key.name.toLowerCase().includes(part));
      const listed = await this.listed(named, withUsage);
      yield banned ? listed.filter(({ usage }) => usage?.ban) : listed;
    }
  }

  private async listed(keys: readonly ApiKey[], withUsage = false): Promise<ListedKey[]> {
    return withUsage ? this.usage.of(keys) : keys.map((key) => ({ key, usage: null }));
  }
}

function decidesByUsage({ banned = false, sort }: ListKeysInput): boolean {
  return banned || sort === 'used';
}

type Compare = (a: ListedKey, b: ListedKey) => number;

/** Keys that are equal stay in the order in which they were issued. */
function comparison({ sort = 'created', reverse = false }: ListKeysInput): Compare {
  const compare: Compare = (a, b) => ORDERS[sort](a, b) || ORDERS.created(a, b);
  return reverse ? (a, b) => compare(b, a) : compare;
}

const byText =
  (text: (key: ApiKey) => string): Compare =>
  (a, b) =>
    text(a.key).localeCompare(text(b.key), 'en');

const ORDERS: Record<KeyOrder, Compare> = {
  created: (a, b) => a.key.createdAtMs - b.key.createdAtMs || (a.key.id < b.key.id ? -1 : 1),
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
