import {
  ExceedsOwnKey,
  InvalidNewKey,
  issueKey,
  keyLabelProblem as labelProblem,
  type KeySecret,
  ManagedKey,
  type NewKey,
  type StateOf,
} from '@animal-store/api-keys/issuing';
import type { Plan } from './plan.js';

/** The rule for a name in OpenAPI; the pattern spells the classes of the next one as ranges. */
export const KEY_NAME = {
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$',
} as const;

/** An API key or most of one. Labels are stored and listed in the clear, so they must not contain it. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]{8}/i;

/** The problem with the name or the account of a key, phrased to follow that word; null when it is valid. */
export function keyLabelProblem(text: string): string | null {
  if (KEY_TEXT.test(text)) return 'must not contain the text of a key';
  return labelProblem(text);
}

export type ApiKeyState = StateOf<ApiKey>;

export interface NewApiKey extends NewKey {
  readonly plan: Plan;
  /** In place of `expiresAtMs`. */
  readonly expiresInMs?: number;
}

export class ApiKey extends ManagedKey {
  declare readonly plan: Plan;
  /** The UTC day of its last use, counted from the Unix epoch, as far as it is stored; null before the first. */
  declare readonly lastUsedDay: number | null;
  /** Since when its account is suspended; null when it is not. */
  declare readonly suspendedAtMs: number | null;

  private constructor(state: ApiKeyState) {
    super(state);
  }

  /** @throws InvalidNewKey when the name, the account or the time to live breaks its rule. */
  static issue(
    secret: KeySecret,
    { expiresInMs, expiresAtMs = null, ...given }: NewApiKey,
    nowMs: number,
  ): ApiKey {
    for (const [field, text] of Object.entries({ name: given.name, account: given.account })) {
      const problem = text === undefined ? null : keyLabelProblem(text);
      if (problem) throw new InvalidNewKey(`${field} ${problem}.`);
    }
    const endsAtMs = expiresInMs === undefined ? expiresAtMs : nowMs + expiresInMs;
    const wanted = { ...given, expiresAtMs: endsAtMs, lastUsedDay: null, suspendedAtMs: null };
    return new ApiKey(issueKey(secret, wanted, nowMs));
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  override statusAt(nowMs: number): 'active' | 'expired' | 'revoked' | 'suspended' {
    const status = super.statusAt(nowMs);
    return status === 'active' && this.suspendedAtMs !== null ? 'suspended' : status;
  }

  /** A suspended key stays as it is. */
  suspend(nowMs: number): this {
    return this.suspendedAtMs === null ? this.with({ suspendedAtMs: nowMs, changedAtMs: nowMs }) : this;
  }

  resume(nowMs: number): this {
    return this.suspendedAtMs === null ? this : this.with({ suspendedAtMs: null, changedAtMs: nowMs });
  }

  /** @throws InactiveApiKey when the key is expired, revoked or suspended. */
  changePlan(plan: Plan, nowMs: number): this {
    this.mustBeActive(nowMs);
    return this.with({ plan, changedAtMs: nowMs });
  }

  override rotate(secret: KeySecret, graceMs: number, nowMs: number): Record<'replaced' | 'successor', this> {
    const { replaced, successor } = super.rotate(secret, graceMs, nowMs);
    return { replaced, successor: successor.with({ lastUsedDay: null }) };
  }

  override issueFrom(
    secret: KeySecret,
    { plan = this.plan, ...wanted }: NewKey & { readonly plan?: Plan },
    nowMs: number,
  ): this {
    return super.issueFrom(secret, wanted, nowMs).with({ plan, lastUsedDay: null });
  }

  override assertWithinScopes(other: this): void {
    super.assertWithinScopes(other);
    const { perMinute, perDay } = this.plan;
    if (other.plan.perMinute > perMinute || other.plan.perDay > perDay) throw new ExceedsOwnKey();
  }
}

/** An instant as people and other programs read it: RFC 3339 in UTC. */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
