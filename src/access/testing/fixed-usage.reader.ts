import type { Ban } from '../domain/ban.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

const UNUSED: KeyUsage = { minute: null, day: { used: 0, resetsAtMs: 86_400_000 }, ban: null };

/** Returns the usage that a test sets, and zero usage for other keys. */
export class FixedUsage extends UsageReader {
  private readonly given = new Map<string, KeyUsage>();
  private failure: Error | null = null;

  give(keyId: string, usage: Partial<KeyUsage>): void {
    this.given.set(keyId, { ...UNUSED, ...usage });
  }

  /** From now on every read fails. */
  fail(failure: Error): void {
    this.failure = failure;
  }

  async usageOfAll(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    if (this.failure) throw this.failure;
    return new Map(keyIds.map((id) => [id, this.given.get(id) ?? UNUSED]));
  }

  bans(): Promise<ReadonlyMap<string, Ban>> {
    return this.bansOf([...this.given.keys()]);
  }
}
