import { describeRepository } from '@animal-store/database/testing';
import { bookingRepositoryContract } from '../testing/booking.repository.contract.js';
import { bookingsTables } from './bookings.tables.js';
import { TypeOrmBookingRepository } from './typeorm-booking.repository.js';

describeRepository(TypeOrmBookingRepository, [bookingsTables], bookingRepositoryContract);
