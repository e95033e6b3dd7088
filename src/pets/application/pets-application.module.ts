import { Module } from '@nestjs/common';
import { JobsModule } from '@animal-store/jobs';
import { PetsInfrastructureModule } from '../infrastructure/pets-infrastructure.module.js';
import { ChangePet } from './change-pet.use-case.js';
import { CreatePet } from './create-pet.use-case.js';
import { GetPet } from './get-pet.use-case.js';
import { LockPet } from './lock-pet.use-case.js';
import { ListPets } from './list-pets.use-case.js';

const useCases = [ListPets, CreatePet, GetPet, LockPet, ChangePet];

@Module({
  imports: [JobsModule, PetsInfrastructureModule],
  providers: useCases,
  exports: useCases,
})
export class PetsApplicationModule {}
