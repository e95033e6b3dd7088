import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { JobsModule } from '@animal-store/jobs';
import { Outbox, UnitOfWork } from '@animal-store/kernel';
import { RecordedOutbox } from '@animal-store/kernel/testing';
import { ListPets } from './application/list-pets.use-case.js';
import { PetsApplicationModule } from './application/pets-application.module.js';
import { Pet } from './domain/pet.js';
import { PetRepository } from './domain/pet.repository.js';
import { PetsInfrastructureModule } from './infrastructure/pets-infrastructure.module.js';

const rex = Pet.restore({ id: 7n, name: 'Rex', categoryId: 1n, status: 'available' });

/** A repository that only lists one animal. */
class OnePet extends PetRepository {
  add = () => Promise.reject(new Error('not in this test'));
  change = () => Promise.reject(new Error('not in this test'));
  findOneBy = () => Promise.resolve(rex);
  list = () => Promise.resolve({ items: [rex], next: null });
}

@Module({ providers: [{ provide: PetRepository, useClass: OnePet }], exports: [PetRepository] })
class OnePetModule {}

/** What the modules of the database and of jobs provide. */
@Global()
@Module({
  providers: [
    { provide: Outbox, useClass: RecordedOutbox },
    { provide: UnitOfWork, useValue: { run: () => Promise.reject(new Error('not in this test')) } },
  ],
  exports: [Outbox, UnitOfWork],
})
class TransactionsModule {}

describe('The modules of pets without a database', () => {
  const begin = () =>
    Test.createTestingModule({ imports: [TransactionsModule, PetsApplicationModule] })
      .overrideModule(JobsModule)
      .useModule(TransactionsModule);

  it.each([
    ['a provider', () => begin().overrideProvider(PetRepository).useClass(OnePet)],
    ['a module', () => begin().overrideModule(PetsInfrastructureModule).useModule(OnePetModule)],
  ])('calls the repository that a test gives as %s', async (_, overriding) => {
    const store = await overriding().compile();

    const { items } = await store.get(ListPets).execute({}, { limit: 20, after: null });
    expect(items).toEqual([rex]);
  });
});
