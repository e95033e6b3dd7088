import type { StoredApiKey } from '../api-key.store.js';
import { type ManagedKey, storedKeyOf } from '../issuing/managed-key.js';
import { type FoundKeys, ManagedKeyStore, writesOf } from '../issuing/managed-key.store.js';

/** Keys in memory: for tests, and to try things. A restart forgets them. */
export class MemoryKeyStore<Key extends ManagedKey = ManagedKey> extends ManagedKeyStore<Key> {
  private readonly keys = new Map<string, Key>();

  async findByHash(hash: string): Promise<StoredApiKey | null> {
    const key = this.withHash(hash);
    return key ? storedKeyOf(key) : null;
  }

  async change(
    ids: readonly string[],
    work: (found: FoundKeys<Key>) => readonly Key[],
  ): Promise<readonly Key[]> {
    const found = new Map(ids.flatMap((id) => (this.keys.has(id) ? [[id, this.keys.get(id)!]] : [])));
    const { added, changed, all } = writesOf(found, work(found), this.latest());
    if (added.some(({ id, hash }) => this.keys.has(id) || this.withHash(hash)))
      throw new Error('There is a key with this id or hash.');
    for (const key of [...added, ...changed]) this.keys.set(key.id, key);
    return all;
  }

  async activeOf(account: string, nowMs: number, after: string, limit: number): Promise<readonly Key[]> {
    const active = [...this.keys.values()].filter(
      (key) => key.account === account && key.id > after && key.statusAt(nowMs) === 'active',
    );
    return active.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  async descendantsOf(id: string, nowMs: number): Promise<readonly Key[]> {
    const made = [...this.keys.values()].filter(({ createdBy }) => createdBy === id);
    const further = await Promise.all(made.map((key) => this.descendantsOf(key.id, nowMs)));
    const isOver = (key: Key) => ['revoked', 'expired'].includes(key.statusAt(nowMs));
    return [...made.filter((key) => !isOver(key)), ...further.flat()];
  }

  async latestChangeMs(): Promise<number | null> {
    return this.latest();
  }

  async changedAfter(afterMs: number, limit: number): Promise<readonly Key[]> {
    return this.changes()
      .filter(({ changedAtMs }) => changedAtMs! > afterMs)
      .slice(0, limit);
  }

  private withHash(hash: string): Key | undefined {
    return [...this.keys.values()].find((key) => key.hash === hash);
  }

  private latest(): number | null {
    return this.changes().at(-1)?.changedAtMs ?? null;
  }

  private changes(): Key[] {
    const changed = [...this.keys.values()].filter(({ changedAtMs }) => changedAtMs !== null);
    return changed.sort((a, b) => a.changedAtMs! - b.changedAtMs!);
  }
}
