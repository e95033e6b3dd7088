import { Job, type JobHandler } from '@animal-store/jobs';
import { RemoveBookingsOfPet } from '../application/remove-bookings-of-pet.use-case.js';

/** What the animals announce. */
interface StatusChanged {
  readonly pet: { readonly id: bigint; readonly status: string };
}

@Job('bookings.remove-sold', { on: ['animal.status_changed'] })
export class RemoveBookingsOfSoldJob implements JobHandler<StatusChanged> {
  constructor(private readonly removeBookings: RemoveBookingsOfPet) {}

  async run({ pet }: StatusChanged): Promise<void> {
    if (pet.status === 'sold') await this.removeBookings.execute(pet.id);
  }
}
