import { FirstServer } from '../support/first-server.js';
import type { ServerProcess } from '../support/server-process.js';

const WRITERS = 16;
/** The number of animals that each server acknowledges before it is killed: at the first commit, or among many. */
const ACKNOWLEDGED_IN_LIFE = [1, 200];

interface Animal {
  readonly id: number;
  readonly name: string;
}

describe('A server that is killed with SIGKILL again and again while it writes', () => {
  let first: FirstServer;
  let key: string;
  let server: ServerProcess;

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
  });

  afterAll(() => first.remove());

  /** Adds an animal with its name as Idempotency-Key. */
  async function add(name: string): Promise<{ id: number; isReplayed: boolean }> {
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': name,
      },
      body: JSON.stringify({ name, categoryId: 7 }),
    });
    const { id } = (await response.json()) as Animal;
    expect(response.status).toBe(201);
    return { id, isReplayed: response.headers.get('idempotent-replayed') === 'true' };
  }

  async function everyAnimal(): Promise<Animal[]> {
    const animals: Animal[] = [];
    let path: string | undefined = '/v1/pets?limit=100';
    while (path !== undefined) {
      const response = await server.get(path, key);
      animals.push(...((await response.json()) as Animal[]));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return animals;
  }

  it('has every acknowledged animal, and after retries has every animal once', async () => {
    const acknowledged = new Map<string, number>();
    let unacknowledged: string[] = [];
    let asked = 0;
    let lastOfLife = 0;

    async function write(): Promise<void> {
      for (;;) {
        const name = `animal-${++asked}`;
        try {
          acknowledged.set(name, (await add(name)).id);
          if (acknowledged.size === lastOfLife) server.signal('SIGKILL');
        } catch {
          unacknowledged.push(name);
          return;
        }
      }
    }

    for (const count of ACKNOWLEDGED_IN_LIFE) {
      lastOfLife = acknowledged.size + count;
      await Promise.all(Array.from({ length: WRITERS }, write));
      expect((await server.stop('SIGKILL')).code).toBeNull();
      await first.restart();
      server = first.process;

      const found = new Map((await everyAnimal()).map(({ name, id }) => [name, id]));
      for (const [name, id] of acknowledged) expect([name, found.get(name)]).toEqual([name, id]);

      const retries = await Promise.all(unacknowledged.map(async (name) => ({ name, ...(await add(name)) })));
      for (const { name, id, isReplayed } of retries) {
        // The first response is stored exactly when the animal is.
        expect([name, isReplayed]).toEqual([name, found.has(name)]);
        acknowledged.set(name, id);
      }
      unacknowledged = [];
    }

    const animals = await everyAnimal();
    expect(animals).toHaveLength(asked);
    expect(new Map(animals.map(({ name, id }) => [name, id]))).toEqual(acknowledged);
  });
});
