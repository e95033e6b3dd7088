import type { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../shared/page.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import type { NewPet, Pet } from '../domain/pet.js';
import { type PetFilter, PetRepository } from '../domain/pet.repository.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';

type Filter = PetStatus | 'any';

/**
 * Keeps the first page of every list in memory until it changes, so that the requests everybody makes cost no
 * statement; whoever asks again gets the same page object. Only right where this process alone writes animals: on the
 * embedded database. Bounded by the four filters and the hundred limits that can be asked for.
 */
export class PageKeepingPetRepository extends PetRepository {
  private readonly pages = new Map<Filter, Map<number, Page<Pet>>>();
  /** Counts the changes, so that a page read before one is not kept after it. */
  private changes = 0;

  constructor(
    private readonly stored: PetRepository,
    private readonly database: Pick<Database, 'assertUsable'>,
  ) {
    super();
    for (const filter of [...PET_STATUSES, 'any'] as const) this.pages.set(filter, new Map());
  }

  async add(pet: NewPet, transaction: Transaction): Promise<Pet> {
    const added = await this.stored.add(pet, transaction);
    transaction.onCommit(() => this.changed(added.id, null, added.status));
    return added;
  }

  async change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null> {
    let before: Pet | undefined;
    const changed = await this.stored.change(id, (pet) => change((before = pet)), transaction);
    if (changed) transaction.onCommit(() => this.changed(id, before!.status, changed.status));
    return changed;
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.stored.findById(id);
  }

  async list(filter: PetFilter, request: PageRequest): Promise<Page<Pet>> {
    const { limit, after } = request;
    if (after !== null) return await this.stored.list(filter, request);
    const pages = this.pages.get(filter.status ?? 'any')!;
    const kept = pages.get(limit);
    if (kept) {
      // A page of a file that is damaged or gone may be one that nobody will see again.
      this.database.assertUsable();
      return kept;
    }
    const { changes } = this;
    const page = await this.stored.list(filter, request);
    if (this.changes !== changes) return page;
    // Everybody gets this object from now on, so nobody may change it, and what is made of it stays right.
    pages.set(limit, Object.freeze(page));
    return page;
  }

  private changed(id: bigint, from: PetStatus | null, to: PetStatus): void {
    this.changes++;
    this.drop('any', id);
    this.drop(to, id);
    // Whoever leaves a list may have been all that came after one of its pages.
    if (from) this.pages.get(from)!.clear();
  }

  /** Drops the pages that the animal is on, or would be: a page with a next one ends before every later id. */
  private drop(filter: Filter, id: bigint): void {
    const pages = this.pages.get(filter)!;
    for (const [limit, { next }] of pages) {
      if (next === null || id <= next.id) pages.delete(limit);
    }
  }
}
