import { CreatePets1795000000000 } from './migrations/1795000000000-create-pets.js';
import { PetRecord } from './pet.record.js';

export const petsTables = { records: [PetRecord], migrations: [CreatePets1795000000000] };
