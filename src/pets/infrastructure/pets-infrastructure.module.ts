import { Module } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Metrics } from '@animal-store/operations';
import { PetRepository } from '../domain/pet.repository.js';
import { CachedPetRepository } from './cached-pet.repository.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';

@Module({
  providers: [
    {
      provide: PetRepository,
      inject: [Database, { token: Metrics, optional: true }],
      useFactory: (database: Database, metrics?: Metrics): PetRepository => {
        const stored = new TypeOrmPetRepository(database);
        // SQLite has no other writer than this process. On PostgreSQL other replicas write too.
        if (database.dialect !== 'sqlite') return stored;
        return new CachedPetRepository(stored, database, metrics?.cache('first_pages'));
      },
    },
  ],
  exports: [PetRepository],
})
export class PetsInfrastructureModule {}
