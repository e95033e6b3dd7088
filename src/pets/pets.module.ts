import { Module } from '@nestjs/common';
import { Database } from '@animal-store/database';
import { Metrics } from '@animal-store/operations';
import { ChangePet } from './application/change-pet.js';
import { CreatePet } from './application/create-pet.use-case.js';
import { GetPet } from './application/get-pet.use-case.js';
import { HoldPet } from './application/hold-pet.use-case.js';
import { ListPets } from './application/list-pets.use-case.js';
import { ReleasePet } from './application/release-pet.use-case.js';
import { ReservePet } from './application/reserve-pet.use-case.js';
import { SellPet } from './application/sell-pet.use-case.js';
import { PetRepository } from './domain/pet.repository.js';
import { PetsController } from './http/pets.controller.js';
import { CachedPetRepository } from './infrastructure/cached-pet.repository.js';
import { TypeOrmPetRepository } from './infrastructure/typeorm-pet.repository.js';

const useCases = [ListPets, CreatePet, GetPet, HoldPet, ReservePet, SellPet, ReleasePet];

@Module({
  controllers: [PetsController],
  providers: [
    ...useCases,
    ChangePet,
    // Only animals. Others: { provide: PetRepository, useClass: TypeOrmPetRepository },
    {
      provide: PetRepository,
      inject: [Database, { token: Metrics, optional: true }],
      useFactory: (database: Database, metrics?: Metrics): PetRepository => {
        const stored = new TypeOrmPetRepository(database);
        // The embedded database has no other writer than this process. On PostgreSQL other replicas write too.
        if (database.dialect !== 'sqlite') return stored;
        return new CachedPetRepository(stored, database, metrics?.cache('first_pages'));
      },
    },
  ],
  // What other contexts may call.
  exports: useCases,
})
export class PetsModule {}
