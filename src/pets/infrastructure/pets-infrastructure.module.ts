import { Module } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { PetRepository } from '../domain/pet.repository.js';
import { CachedPetRepository } from './cached-pet.repository.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';
import { ValidatedPetRepository } from './validated-pet.repository.js';

@Module({
  providers: [
    {
      provide: PetRepository,
      inject: [Database],
      useFactory: (database: Database): PetRepository => {
        const stored = new TypeOrmPetRepository(database);
        // The embedded database has no other writer than this process. On PostgreSQL other replicas write too.
        return database.dialect === 'sqlite'
          ? new CachedPetRepository(stored, database)
          : new ValidatedPetRepository(stored, database);
      },
    },
  ],
  exports: [PetRepository],
})
export class PetsInfrastructureModule {}
