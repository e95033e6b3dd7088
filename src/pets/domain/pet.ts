import { InvalidPet, type PetAction, PetNotAvailable } from './pet.errors.js';
import { type PetStatus, petNameProblem } from './pet.rules.js';

export interface PetState {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/** A new animal. It has no id until it is stored. */
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

/** An animal of the store. It is immutable: its verbs return the changed animal. */
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
   * Reserves the animal for one buyer.
   * @throws PetNotAvailable unless it is available.
   */
  reserve(): Pet {
    return this.withStatus('reserved', 'available', 'pending');
  }

  /**
   * Marks the animal as sold to the buyer who reserved it.
   * @throws PetNotAvailable unless it is pending.
   */
  sell(): Pet {
    return this.withStatus('sold', 'pending', 'sold');
  }

  /**
   * Makes the reserved animal available again.
   * @throws PetNotAvailable unless it is pending.
   */
  release(): Pet {
    return this.withStatus('released', 'pending', 'available');
  }

  private withStatus(action: PetAction, from: PetStatus, to: PetStatus): Pet {
    if (this.status !== from) throw new PetNotAvailable(this.id, action, this.status);
    return new Pet(this.id, this.name, this.categoryId, to);
  }
}
