import type { Database } from '@animal-store/database';
import { type Page, type PageRequest, SharedPage, type Transaction } from '@animal-store/kernel';
import type { NewPet, Pet } from '../domain/pet.js';
import { type PetFilter, PetRepository } from '../domain/pet.repository.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet.rules.js';

type Filter = PetStatus | 'any';

/**
 * Caches the first page of every list until the page changes, so that the most common requests cost no statement.
 * All requests for a cached page share one page object.
 *
 * Use it only where this process is the only writer of animals, that is, on SQLite. The cache is bounded: there are
 * four filters and a hundred limits. A list with any further filter is read.
 */
export class CachedPetRepository extends PetRepository {
  private readonly pages = new Map<Filter, Map<number, SharedPage<Pet>>>();
  /** The number of changes so far. A page read before a change is not cached after it. */
  private changes = 0;

  constructor(
    private readonly stored: PetRepository,
    private readonly database: Pick<Database, 'assertUsable' | 'enclosing'>,
    /** Counts how often there was a cached page. */
    private readonly use = { hits: 0, misses: 0 },
  ) {
    super();
    for (const filter of [...PET_STATUSES, 'any'] as const) this.pages.set(filter, new Map());
  }

  async add(pet: NewPet, within = this.database.enclosing() ?? undefined): Promise<Pet> {
    try {
      const added = await this.stored.add(pet, within);
      if (within) within.onCommit(() => this.changed(added.id, null, added.status));
      else this.changed(added.id, null, added.status);
      return added;
    } catch (error) {
      // The animal may be stored although the caller gets an error.
      if (!within) this.dropAll();
      throw error;
    }
  }

  async change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null> {
    let before: Pet | undefined;
    const changed = await this.stored.change(id, (pet) => change((before = pet)), transaction);
    if (changed && changed !== before) {
      transaction.onCommit(() => this.changed(id, before!.status, changed.status));
    }
    return changed;
  }

  findOneBy(key: Pick<Pet, 'id'>): Promise<Pet | null> {
    return this.stored.findOneBy(key);
  }

  async list(filter: PetFilter, request: PageRequest): Promise<Page<Pet>> {
    const { limit, after } = request;
    if (after !== null || hasFurther(filter)) return await this.stored.list(filter, request);
    const pages = this.pages.get(filter.status ?? 'any')!;
    const cached = pages.get(limit);
    if (cached) {
      // While the file is damaged or deleted, the cached page may differ from what the database contains afterwards.
      this.database.assertUsable();
      this.use.hits++;
      return cached;
    }
    this.use.misses++;
    const { changes } = this;
    const page = await this.stored.list(filter, request);
    if (this.changes !== changes) return page;
    const shared = new SharedPage(page);
    pages.set(limit, shared);
    return shared;
  }

  private dropAll(): void {
    this.changes++;
    for (const pages of this.pages.values()) pages.clear();
  }

  private changed(id: bigint, from: PetStatus | null, to: PetStatus): void {
    this.changes++;
    this.drop('any', id);
    this.drop(to, id);
    // The animal may have been the last one after a cached page, so every cached page of its old status is dropped.
    if (from) this.pages.get(from)!.clear();
  }

  /**
   * Drops the pages that contain the animal or would contain it. A page that has a next page ends before every later
   * id.
   */
  private drop(filter: Filter, id: bigint): void {
    const pages = this.pages.get(filter)!;
    for (const [limit, { next }] of pages) {
      if (next === null || id <= next.id) pages.delete(limit);
    }
  }
}

/** Whether a filter besides the status was sent. */
function hasFurther(filter: PetFilter): boolean {
  for (const name in filter)
    if (name !== 'status' && filter[name as keyof PetFilter] !== undefined) return true;
  return false;
}
