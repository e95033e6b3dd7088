import type { ContextRequests } from '../e2e/requests/context-requests.js';

const PRICE = '"kennel":"small","price":"147.50","meals":[]';
const DAYS = '"firstDay":"2027-01-30","lastDay":"2027-01-31"';

/** Animal 1 has booking 1, animal 3 is sold. */
export const bookings: ContextRequests = {
  before: [
    'POST /v1/pets {"name":"Rex","categoryId":7}',
    'POST /v1/pets {"name":"Mia","categoryId":7}',
    'POST /v1/pets {"name":"Ada","categoryId":7,"status":"sold"}',
    `POST /v1/bookings {"petId":1,${DAYS},${PRICE}}`,
  ],
  operations: {
    listBookings: { request: 'GET /v1/bookings?petId=1&kennel=small&since=2027-01-01' },
    addBooking: {
      request: `POST /v1/bookings {"petId":2,${DAYS},${PRICE}}`,
      other: `POST /v1/bookings {"petId":2,"firstDay":"2027-03-01","lastDay":"2027-03-01",${PRICE}}`,
      jointRule: 'lastDay is not before firstDay.',
      errors: {
        unknown_pet: `POST /v1/bookings {"petId":999,${DAYS},${PRICE}}`,
        pet_not_available: `POST /v1/bookings {"petId":3,${DAYS},${PRICE}}`,
        booking_overlaps: `POST /v1/bookings {"petId":1,${DAYS},${PRICE}}`,
      },
    },
    getBookingTotals: {
      request: 'GET /v1/bookings/totals?since=2027-01-01&before=2027-03-01',
      cost: 5,
      jointRule: 'before is after since.',
    },
    getBooking: { request: 'GET /v1/bookings/1' },
    changeBooking: { request: ['PATCH /v1/bookings/1 {"kennel":"large"}', { 'If-Match': '*' }] },
    removeBooking: { request: 'DELETE /v1/bookings/1' },
  },
  large: {
    // Most are of other accounts, and nearly all in small kennels. An animal has ten.
    rows: (ids, count) => `INSERT INTO bookings
        (account, pet_id, kennel, first_day, last_day, price_cents, meals)
      SELECT CASE WHEN id % 10 = 0 THEN 'zoo' ELSE 'other ' || (id % 7) END, id / 10,
        CASE WHEN id > ${count - 500} THEN 'large' ELSE 'small' END,
        CAST(2000 + id % 27 AS text) || '-01-01', CAST(2000 + id % 27 AS text) || '-01-02', 100, '[]' FROM ${ids}`,
    lists: [
      'GET /v1/bookings',
      'GET /v1/bookings?sort=-firstDay',
      'GET /v1/bookings?kennel=large',
      'GET /v1/bookings?kennel=large&kennel=outdoor',
      'GET /v1/bookings?petId=7',
      'GET /v1/bookings?petId=7&kennel=outdoor',
      'GET /v1/bookings?since=2010-01-01&before=2011-01-01',
      'GET /v1/bookings?kennel=outdoor&since=2010-01-01&before=2011-01-01',
      'GET /v1/bookings?kennel=large&kennel=outdoor&since=2010-01-01&sort=-firstDay',
    ],
  },
};
