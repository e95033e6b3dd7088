import { describeRepository } from '@animal-store/database/testing';
import { petRepositoryContract } from '../testing/pet.repository.contract.js';
import { petsTables } from './pets.tables.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';

describeRepository(TypeOrmPetRepository, [petsTables], petRepositoryContract);
