import { defineScope } from '@animal-store/api-keys';

export const bookingScopes = [defineScope('bookings:read'), defineScope('bookings:write')];
