import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase, type Tables } from '@animal-store/database';
import { sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { jobsTables } from '@animal-store/jobs';
import { FakeClock } from '@animal-store/kernel/testing';
import { events } from '../../../events.js';
import { EVERYBODY, EventTypes } from '../../domain/event.js';
import { CachedInterests } from '../subscriptions/cached-interests.js';
import { TypeOrmWebhookRepository } from '../subscriptions/typeorm-webhook.repository.js';
import { webhooksTables } from '../webhooks.tables.js';
import { CreateWebhooks1795000030000 } from './1795000030000-create-webhooks.js';

const BEFORE: Tables = { records: [], migrations: [CreateWebhooks1795000030000] };
const SECRETS = `'[{"text":"whsec_x","untilMs":null}]'`;
const ROWS = [
  `INSERT INTO webhooks (id, account, url, events, secrets, created_at, wake_at, failures, failing_since, disabled_at, disabled_reason)
    VALUES (1, 'zoo', 'https://zoo.example', '["animal.added"]', ${SECRETS}, 7, 9, 2, 8, NULL, NULL),
    (2, 'zoo', 'https://zoo.example', '["order.placed","animal.added"]', ${SECRETS}, 7, NULL, 9, 8, 10, 'failing'),
    (3, '', 'https://zoo.example', '["animal.added"]', '[]', 7, 9, 0, NULL, 10, NULL)`,
  `INSERT INTO webhook_subscriptions (event, audience, webhook_id) VALUES ('animal.added', '', 1)`,
  `INSERT INTO webhook_deliveries (webhook_id, event_id, event, body, status, tries, next_try_at, created_at, began_at)
    VALUES (1, 'evt_1', 'animal.added', '{}', 'pending', 0, 9, 9, 9)`,
  `INSERT INTO jobs (kind, subject, payload, state, due_at, tries, tries_left, created_at)
    VALUES ('webhooks.deliver', '1', '{}', 'waiting', 1, 0, 1000, 1), ('orders.expire', '-', 'null', 'waiting', 1, 0, 9, 1)`,
];

const DATABASES: [string, (folder: string) => Promise<Parameters<typeof openDatabase>[0]>][] = [
  ['SQLite', async (folder) => sqliteOptions(join(folder, 'store.db'))],
];
if (process.env['TEST_POSTGRES_URL']) DATABASES.push(['PostgreSQL', () => temporaryPostgresOptions()]);

describe.each(DATABASES)('A database of before, on %s', (_, optionsIn) => {
  let folder: string;
  let database: Database;
  let interests: CachedInterests;
  let webhooks: TypeOrmWebhookRepository;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const options = await optionsIn(folder);
    const before = await openDatabase(options, [BEFORE, jobsTables]);
    await before.run(async (transaction) => {
      for (const sql of ROWS) await before.session(transaction).query(sql);
    });
    await before.close();
    database = await openDatabase(options, [webhooksTables, jobsTables]);
    interests = new CachedInterests(database, new FakeClock(), { always: false });
    webhooks = new TypeOrmWebhookRepository(database, interests, new EventTypes(events));
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it('has its webhooks, and tells the enabled ones', async () => {
    const { items } = await webhooks.list('zoo', { limit: 10, after: null });
    expect(items).toMatchObject([
      { id: 1n, status: 'enabled', createdBy: null, pending: 0, failures: 2, secrets: [{ text: 'whsec_x' }] },
      { id: 2n, status: 'disabled', disabledReason: 'failing', disabledAtMs: 10 },
    ]);
    const subscribers = (type: string, audience: string) =>
      database.run(async (transaction) => {
        const step = await webhooks.lockSubscribers({ type, audience }, 0n, transaction);
        return step.webhooks.map(({ id }) => id);
      });
    await interests.refresh();
    expect(interests.has('animal.added', EVERYBODY)).toBe(true);
    expect(interests.has('order.placed', 'zoo')).toBe(true);
    expect(interests.has('order.placed', 'circus')).toBe(false);
    expect(await subscribers('animal.added', EVERYBODY)).toEqual([1n]);
    await database.run((transaction) =>
      webhooks.change('zoo', 2n, (webhook) => ({ ...webhook, status: 'enabled' }), transaction),
    );
    expect(await subscribers('animal.added', EVERYBODY)).toEqual([1n, 2n]);
    expect(await subscribers('order.placed', 'zoo')).toEqual([2n]);
  });

  it('has no delivery of before, none of its jobs, and other jobs', async () => {
    expect(await database.query('SELECT 1 FROM webhook_deliveries')).toEqual([]);
    expect(await database.query('SELECT kind FROM jobs')).toEqual([{ kind: 'orders.expire' }]);
  });
});
