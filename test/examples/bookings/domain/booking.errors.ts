import { DomainError } from '@animal-store/kernel';

export class BookingNotFound extends DomainError {
  static readonly when = 'No booking of this account has this id.';
  static readonly fix = 'An account sees only its own bookings. Check which API key you use.';
  static readonly example = new BookingNotFound(1n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('booking_not_found', 'not-found', `No booking of this account has id ${id}.`);
  }
}

export class BookingOverlaps extends DomainError {
  static readonly when = 'The animal has a booking on one of these days already.';
  static readonly fix = 'Choose days on which the animal has no booking.';
  static readonly example = new BookingOverlaps(7n);

  constructor(petId: bigint) {
    super('booking_overlaps', 'conflict', `Animal ${petId} has a booking on one of these days already.`);
  }
}

/** Shares the code of every body that is invalid. */
export class InvalidBooking extends DomainError {
  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

/** Shares the code of every query that is invalid. */
export class InvalidDays extends DomainError {
  constructor(message: string) {
    super('invalid_parameter', 'invalid', message);
  }
}

/** Shares the code of an order for an animal that is not available. */
export class GuestSold extends DomainError {
  static readonly when = 'The animal is sold.';
  static readonly fix = 'Only animals of the store are boarded. Choose one that is not sold.';
  static readonly example = new GuestSold(7n);

  constructor(petId: bigint) {
    super('pet_not_available', 'conflict', `Animal ${petId} is sold and cannot be boarded.`);
  }
}
