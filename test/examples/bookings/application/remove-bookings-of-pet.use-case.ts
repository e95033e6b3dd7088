import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '@animal-store/kernel';
import { BookingRepository } from '../domain/booking.repository.js';

/** Removes the bookings of an animal, of all accounts. */
@Injectable()
export class RemoveBookingsOfPet {
  constructor(
    private readonly bookings: BookingRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  execute(petId: bigint): Promise<void> {
    return this.unitOfWork.run((transaction) => this.bookings.removeOfPet(petId, transaction));
  }
}
