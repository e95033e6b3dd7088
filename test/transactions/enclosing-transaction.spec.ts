import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { petsTables } from '../../src/pets/infrastructure/pets.tables.js';
import { TypeOrmPetRepository } from '../../src/pets/infrastructure/typeorm-pet.repository.js';
import { aPet } from '../../src/pets/testing/pet.builder.js';

describe.each(databases)('A transaction that encloses others on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, petsTables);
  let pets: TypeOrmPetRepository;

  beforeEach(async () => {
    pets = new TypeOrmPetRepository(temporary.database);
  });

  /** Adds a record like a use case that does not know of the enclosing transaction. */
  function add(name: string): Promise<unknown> {
    return temporary.database.run((transaction) => pets.add(aPet({ name }), transaction));
  }

  async function names(): Promise<string[]> {
    const { items } = await pets.list({}, { limit: 100, after: null });
    return items.map(({ name }) => name);
  }

  it('includes units of work that run inside it, at any depth and after other work', async () => {
    const enclosed = temporary.database.enclose(async (outer) => {
      await add('Rex');
      await new Promise(process.nextTick);
      await temporary.database.run(async (transaction) => {
        expect(transaction).toBe(outer);
        await add('Mia');
      });
      expect(await names()).toEqual([]);
    });

    await enclosed;
    expect(await names()).toEqual(['Rex', 'Mia']);
  });

  it('rolls back everything inside when it fails', async () => {
    const failing = temporary.database.enclose(async () => {
      await Promise.all([add('Rex'), add('Mia')]);
      throw new Error('the cat got out');
    });

    await expect(failing).rejects.toThrow('the cat got out');
    expect(await names()).toEqual([]);
  });

  it('can be inside another one', async () => {
    const failing = temporary.database.enclose(async () => {
      await temporary.database.enclose(() => add('Rex'));
      throw new Error('the cat got out');
    });

    await expect(failing).rejects.toThrow('the cat got out');
    expect(await names()).toEqual([]);
  });

  it('does not affect units of work that run at the same time', async () => {
    const outcomes = await Promise.allSettled([
      temporary.database.enclose(async () => {
        await add('Rex');
        throw new Error('the cat got out');
      }),
      add('Mia'),
      temporary.database.enclose(() => add('Tom')),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect((await names()).sort()).toEqual(['Mia', 'Tom']);
  });

  it('lets work that starts after its end begin a transaction of its own', async () => {
    let goOn = (): void => undefined;
    let late: Promise<unknown> | undefined;
    await temporary.database.enclose(async () => {
      late = new Promise<void>((resolve) => (goOn = resolve)).then(() => add('Mia'));
      await add('Rex');
    });

    goOn();
    await late;
    expect(await names()).toEqual(['Rex', 'Mia']);
  });
});
