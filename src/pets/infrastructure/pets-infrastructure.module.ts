import { Module } from '@nestjs/common';
import { PetRepository } from '../domain/pet.repository.js';
import { SqlPetRepository } from './sql-pet.repository.js';

@Module({
  providers: [{ provide: PetRepository, useClass: SqlPetRepository }],
  exports: [PetRepository],
})
export class PetsInfrastructureModule {}
