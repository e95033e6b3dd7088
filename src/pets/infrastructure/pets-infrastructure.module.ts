import { Module } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { PetRepository } from '../domain/pet.repository.js';
import { PageKeepingPetRepository } from './page-keeping-pet.repository.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';

@Module({
  providers: [
    {
      provide: PetRepository,
      inject: [Database],
      useFactory: (database: Database): PetRepository => {
        const stored = new TypeOrmPetRepository(database);
        // PostgreSQL may have other replicas that write; the embedded database is this process's alone.
        return database.dialect === 'sqlite' ? new PageKeepingPetRepository(stored, database) : stored;
      },
    },
  ],
  exports: [PetRepository],
})
export class PetsInfrastructureModule {}
