import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import SqliteConnection from 'better-sqlite3';
import { temporaryPostgresOptions } from '@animal-store/database/testing';
import { runProgram, ServerProcess, within } from '../support/server-process.js';
import { verify, WebhookReceiver } from '../support/webhook-receiver.js';

const DATABASES: [string, () => Promise<NodeJS.ProcessEnv>][] = [['SQLite', async () => ({})]];
if (process.env['TEST_POSTGRES_URL'])
  DATABASES.push([
    'PostgreSQL',
    async () => ({
      DATABASE_URL: (await temporaryPostgresOptions()).url,
      // It may have to wait for a core.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    }),
  ]);

const LEASE_MS = 30_000;
/** Machines may be busy. */
const ARRIVES_WITHIN_MS = 120_000;
const ANIMALS = 60;
/** What is sent until it is stored that it has arrived. */
const MAX_TWICE = 20;

interface Created {
  readonly id: number;
  readonly secret: string;
}

describe.each(DATABASES)('Webhooks of the running service on %s', (database, open) => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  let server: ServerProcess;
  let key: string;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    environment = { ...(await open()), OUTGOING_ALLOW_PRIVATE: 'true' };
    const args = ['create', '--name', 'Zoo', '--plan', 'business', '--json'];
    const { stdout } = await runProgram('keys.js', args, { folder, environment });
    ({ key } = JSON.parse(stdout) as { key: string });
    server = await ServerProcess.start({ folder, environment });
  });

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });

  afterEach(() => receiver.stop());

  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function post<T>(path: string, body: object, to = server): Promise<T> {
    const response = await to.post(path, key, JSON.stringify(body));
    expect(response.status).toBe(201);
    return (await response.json()) as T;
  }

  /** Creates a webhook, and waits until its test has arrived. */
  async function subscribe(path: string): Promise<Created> {
    const { respond } = receiver;
    receiver.respond = (_, response) => void response.writeHead(204).end();
    const created = await post<Created>('/v1/webhooks', {
      url: receiver.url(path),
      events: ['animal.added'],
    });
    await within(ARRIVES_WITHIN_MS, async () => {
      const found = await server.get(`/v1/webhooks/${created.id}`, key);
      return ((await found.json()) as { status: string }).status === 'enabled';
    });
    receiver.respond = respond;
    receiver.received.length = 0;
    return created;
  }

  /** By these servers in turn. */
  async function addAnimals(...servers: ServerProcess[]): Promise<number[]> {
    const animal = { name: 'Rex', categoryId: 7 };
    const added = Array.from({ length: ANIMALS }, (_, index) =>
      post<Created>('/v1/pets', animal, servers[index % servers.length]),
    );
    return (await Promise.all(added)).map(({ id }) => id).sort((one, other) => one - other);
  }

  /** The animals that the receiver was notified of, each once. */
  function receivedBy(path: string): number[] {
    const ids = receiver.events(path).map(({ data }) => Number(data['id']));
    return [...new Set(ids)].sort((one, other) => one - other);
  }

  /** As when the leases of the killed worker have ended, for which the round of jobs waits. */
  async function endLeases(killedAtMs: number): Promise<void> {
    const sql = `UPDATE jobs SET state = 'waiting' WHERE state = 'running' AND due_at < ${killedAtMs + LEASE_MS}`;
    const { DATABASE_URL } = environment;
    if (DATABASE_URL === undefined) {
      const file = new SqliteConnection(join(folder, 'data/animal-store.db'));
      file.exec(sql);
      return void file.close();
    }
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  it('notify of everything that was acknowledged before a kill -9, under one id each', async () => {
    let isSlow = true;
    receiver.respond = (_, response) => {
      if (!isSlow || receiver.received.length < ANIMALS / 3) response.writeHead(204).end();
    };
    const { secret } = await subscribe('/killed');
    const added = await addAnimals();
    await within(ARRIVES_WITHIN_MS, () => receiver.received.length >= ANIMALS / 3);
    await server.stop('SIGKILL');
    const [beforeKill, killedAtMs] = [receiver.received.length, Date.now()];
    isSlow = false;
    server = await ServerProcess.start({ folder, environment });
    await endLeases(killedAtMs);
    await within(ARRIVES_WITHIN_MS, () => receivedBy('/killed').length === ANIMALS);

    expect(beforeKill).toBeLessThan(ANIMALS);
    expect(receivedBy('/killed')).toEqual(added);
    for (const one of receiver.received) verify(one, secret);
    const idOf = new Map<unknown, string>();
    for (const { body, headers } of receiver.received) {
      const { id } = (JSON.parse(body) as { data: { id: number } }).data;
      expect(headers['webhook-id']).toBe(idOf.get(id) ?? headers['webhook-id']);
      idOf.set(id, headers['webhook-id']!);
    }
    expect(new Set(idOf.values()).size).toBe(ANIMALS);
    expect(receiver.received.length).toBeLessThanOrEqual(ANIMALS + MAX_TWICE + 1);
  });

  if (database !== 'PostgreSQL') return;

  it('notify one receiver of all while another one never responds, to which they send one request at a time', async () => {
    let open = 0;
    let maxOpen = 0;
    const receivedAtEnds: number[] = [];
    receiver.respond = ({ path }, response) => {
      if (path !== '/silent') return void response.writeHead(204).end();
      maxOpen = Math.max(maxOpen, ++open);
      response.on('close', () => {
        open--;
        receivedAtEnds.push(receivedBy('/quick').length);
      });
    };
    const silent = await subscribe('/silent');
    await subscribe('/quick');
    const added = await addAnimals();
    await within(ARRIVES_WITHIN_MS, () => receivedBy('/quick').length === ANIMALS);

    expect(receivedBy('/quick')).toEqual(added);
    const problem = await within(ARRIVES_WITHIN_MS, async () => {
      const path = `/v1/webhooks/${silent.id}/deliveries?limit=100`;
      const deliveries = (await (await server.get(path, key)).json()) as {
        attempts: number;
        problem: string | null;
      }[];
      return deliveries.find(({ problem: one }) => one !== null)?.problem;
    });
    expect(problem).toBe('There was no response within 10 s.');
    // It ends after ten seconds. All others take a second, or longer on a busy machine.
    expect(await within(ARRIVES_WITHIN_MS, () => receivedAtEnds[0])).toBeGreaterThan(1);
    expect(maxOpen).toBe(1);
  });

  it('notify one receiver of one thing at a time, and each once, by two servers', async () => {
    const other = await ServerProcess.start({ folder, environment });
    try {
      let open = 0;
      let mostOpen = 0;
      receiver.respond = (_, response) => {
        mostOpen = Math.max(mostOpen, ++open);
        setImmediate(() => {
          open--;
          response.writeHead(204).end();
        });
      };
      await subscribe('/shared');
      const added = await addAnimals(server, other);
      await within(ARRIVES_WITHIN_MS, () => receivedBy('/shared').length === ANIMALS);

      expect(receivedBy('/shared')).toEqual(added);
      expect(receiver.received).toHaveLength(ANIMALS);
      expect(mostOpen).toBe(1);
    } finally {
      await other.stop('SIGKILL');
    }
  });
});
