import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { NewPet, Pet } from './pet.js';
import type { PetStatus } from './pet.rules.js';

export interface PetFilter {
  readonly status?: PetStatus;
}

/** The store's animals. Ids start at 1 and only grow. */
export abstract class PetRepository {
  /** Stores the animal and gives it its id. It is found once `within` is committed; without it, when `add` resolves. */
  abstract add(pet: NewPet, within?: Transaction): Promise<Pet>;

  /**
   * Replaces the animal with the one that `change` returns, and returns that. The animal is locked until the
   * transaction ends, so no other change comes in between; when `change` returns the same one, it is only locked.
   * Returns null when there is no animal with this id.
   */
  abstract change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null>;

  /** The animal, or null when there is none with this id. */
  abstract findOneBy(key: Pick<Pet, 'id'>): Promise<Pet | null>;

  /** The animals that match `filter`, a page at a time, ascending by id. */
  abstract list(filter: PetFilter, page: PageRequest): Promise<Page<Pet>>;
}
