import { InvalidPet, type PetAction, PetNotAvailable } from './pet.errors.js';
import { petNameProblem } from './pet-name.js';
import type { PetStatus } from './pet-status.js';

export interface PetState {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/** An animal of the store before the store has given it an id. */
export class NewPet {
  private constructor(
    readonly name: string,
    readonly categoryId: bigint,
    readonly status: PetStatus,
  ) {}

  /** @throws InvalidPet when the name breaks its rule. */
  static offer(name: string, categoryId: bigint, status: PetStatus = 'available'): NewPet {
    const problem = petNameProblem(name);
    if (problem) throw new InvalidPet(`name ${problem}.`);
    return new NewPet(name.trim(), categoryId, status);
  }
}

/** An animal of the store. Its verbs leave it as it is and return the changed animal. */
export class Pet {
  private constructor(
    readonly id: bigint,
    readonly name: string,
    readonly categoryId: bigint,
    readonly status: PetStatus,
  ) {}

  static restore({ id, name, categoryId, status }: PetState): Pet {
    return new Pet(id, name, categoryId, status);
  }

  /**
   * Keeps the animal for one buyer.
   * @throws PetNotAvailable unless it is available.
   */
  reserve(): Pet {
    return this.turned('reserved', 'available', 'pending');
  }

  /**
   * Hands the animal over to the buyer it was kept for.
   * @throws PetNotAvailable unless it is pending.
   */
  sell(): Pet {
    return this.turned('sold', 'pending', 'sold');
  }

  /**
   * Offers the animal again that was kept for a buyer.
   * @throws PetNotAvailable unless it is pending.
   */
  release(): Pet {
    return this.turned('released', 'pending', 'available');
  }

  private turned(action: PetAction, from: PetStatus, to: PetStatus): Pet {
    if (this.status !== from) throw new PetNotAvailable(this.id, action, this.status);
    return new Pet(this.id, this.name, this.categoryId, to);
  }
}
