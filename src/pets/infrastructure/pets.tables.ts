import { CreatePets1795000000000 } from './migrations/1795000000000-create-pets.js';
import { PetRecord } from './pet.record.js';

/** The records of this context and the migrations that create their tables. */
export const petsTables = { records: [PetRecord], migrations: [CreatePets1795000000000] };
