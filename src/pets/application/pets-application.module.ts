import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CreatePet } from './create-pet.use-case.js';
import { GetPet } from './get-pet.use-case.js';
import { ListPets } from './list-pets.use-case.js';
import { ReleasePet } from './release-pet.use-case.js';
import { ReservePet } from './reserve-pet.use-case.js';
import { SellPet } from './sell-pet.use-case.js';

const useCases = [ListPets, CreatePet, GetPet, ReservePet, SellPet, ReleasePet];

/** The use cases of animals. `infrastructure` provides their ports. */
@Module({ providers: useCases, exports: useCases })
export class PetsApplicationModule {
  static over(infrastructure: Type): DynamicModule {
    return { module: PetsApplicationModule, imports: [infrastructure] };
  }
}
