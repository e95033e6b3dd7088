import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { PetsModule } from '../../../src/pets/pets.module.js';
import { BookingsService } from './application/bookings.service.js';
import { BookingRepository } from './domain/booking.repository.js';
import { BookingsController } from './http/bookings.controller.js';
import { RemoveBookingsOfSoldJob } from './jobs/remove-bookings-of-sold.job.js';
import { TypeOrmBookingRepository } from './infrastructure/typeorm-booking.repository.js';

@Module({
  imports: [IdempotencyModule, PetsModule],
  controllers: [BookingsController],
  providers: [
    BookingsService,
    RemoveBookingsOfSoldJob,
    { provide: BookingRepository, useClass: TypeOrmBookingRepository },
  ],
})
export class BookingsModule {}
