import { Module } from '@nestjs/common';
import { JobsModule } from '@animal-store/jobs';
import { PetsInfrastructureModule } from '../infrastructure/pets-infrastructure.module.js';
import { ChangePet } from './change-pet.js';
import { CreatePet } from './create-pet.use-case.js';
import { GetPet } from './get-pet.use-case.js';
import { LockPet } from './lock-pet.use-case.js';
import { ListPets } from './list-pets.use-case.js';
import { ReleasePet } from './release-pet.use-case.js';
import { ReservePet } from './reserve-pet.use-case.js';
import { SellPet } from './sell-pet.use-case.js';

const useCases = [ListPets, CreatePet, GetPet, LockPet, ReservePet, SellPet, ReleasePet];

/** Provides the use cases. */
@Module({
  imports: [JobsModule, PetsInfrastructureModule],
  providers: [...useCases, ChangePet],
  exports: useCases,
})
export class PetsApplicationModule {}
