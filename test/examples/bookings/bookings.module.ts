import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { PetsModule } from '../../../src/pets/pets.module.js';
import { AddBooking } from './application/add-booking.use-case.js';
import { ChangeBooking } from './application/change-booking.use-case.js';
import { GetBooking } from './application/get-booking.use-case.js';
import { GetBookingTotals } from './application/get-booking-totals.use-case.js';
import { ListBookings } from './application/list-bookings.use-case.js';
import { RemoveBookingsOfPet } from './application/remove-bookings-of-pet.use-case.js';
import { RemoveBooking } from './application/remove-booking.use-case.js';
import { BookingRepository } from './domain/booking.repository.js';
import { BookingsController } from './http/bookings.controller.js';
import { RemoveBookingsOfSoldJob } from './jobs/remove-bookings-of-sold.job.js';
import { TypeOrmBookingRepository } from './infrastructure/typeorm-booking.repository.js';

@Module({
  imports: [IdempotencyModule, PetsModule],
  controllers: [BookingsController],
  providers: [
    ...[ListBookings, AddBooking, GetBooking, ChangeBooking, RemoveBooking, GetBookingTotals],
    ...[RemoveBookingsOfPet, RemoveBookingsOfSoldJob],
    { provide: BookingRepository, useClass: TypeOrmBookingRepository },
  ],
})
export class BookingsModule {}
