import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePhotos1795100001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const postgres = runner.connection.options.type === 'postgres';
    const integer = postgres ? 'bigint' : 'INTEGER';
    const isType = "media_type text NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png'))";
    await runner.query(`CREATE TABLE photos (
      pet_id ${integer} PRIMARY KEY NOT NULL,
      ${isType},
      etag text NOT NULL,
      bytes ${postgres ? 'bytea' : 'BLOB'} NOT NULL
    ) ${postgres ? '' : 'STRICT'}`);
    await runner.query(`CREATE TABLE photo_counts (
      ${isType},
      part ${integer} NOT NULL,
      photos ${integer} NOT NULL,
      PRIMARY KEY (media_type, part)
    ) ${postgres ? '' : 'STRICT'}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE photo_counts');
    await runner.query('DROP TABLE photos');
  }
}
