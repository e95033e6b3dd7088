import { Job, type JobHandler } from '@animal-store/jobs';
import { BookingsService } from '../application/bookings.service.js';

/** What the animals announce. */
interface StatusChanged {
  readonly pet: { readonly id: bigint; readonly status: string };
}

@Job('bookings.remove-sold', { on: ['animal.status_changed'] })
export class RemoveBookingsOfSoldJob implements JobHandler<StatusChanged> {
  constructor(private readonly bookings: BookingsService) {}

  async run({ pet }: StatusChanged): Promise<void> {
    if (pet.status === 'sold') await this.bookings.removeOfPet(pet.id);
  }
}
