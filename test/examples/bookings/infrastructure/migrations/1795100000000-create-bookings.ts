import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '@animal-store/database';

export class CreateBookings1795100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, strict } = columnTypes(runner);
    await runner.query(`CREATE TABLE bookings (
      id ${id},
      account text NOT NULL,
      pet_id ${int64} NOT NULL,
      kennel text NOT NULL CHECK (kennel IN ('small', 'large', 'outdoor')),
      first_day text NOT NULL,
      last_day text NOT NULL,
      price_cents ${int64} NOT NULL,
      arrives_at ${int64},
      meals text NOT NULL
    ) ${strict}`);
    // For each filter of the list, in its order.
    await runner.query('CREATE INDEX bookings_first_day ON bookings (account, first_day, id)');
    await runner.query('CREATE INDEX bookings_kennel ON bookings (account, kennel, first_day, id)');
    await runner.query('CREATE INDEX bookings_pet ON bookings (account, pet_id, first_day, id)');
    await runner.query('CREATE INDEX bookings_of_pet ON bookings (pet_id, last_day)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bookings');
  }
}
