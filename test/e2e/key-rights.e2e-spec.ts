import { Controller, Module, Param, Patch } from '@nestjs/common';
import { Caller, defineScope, RequireScope } from '@animal-store/api-keys';
import { KeyIssuer } from '@animal-store/api-keys/issuing';
import { databases, temporaryPostgresOptions } from '@animal-store/database/testing';
import { AccessModule } from '../../src/access/access.module.js';
import { ChangeAccount } from '../../src/access/application/change-account.use-case.js';
import { type RequestedKey, StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { KeyChangesPoller } from '../../src/access/infrastructure/keys/key-changes.poller.js';
import type { KeyFacts } from '../../src/access/key-facts.js';
import { TestApp } from '../support/test-app.js';

/** As a context of a team defines it. */
const MODERATE = defineScope('reviews:moderate', { explicit: true });
jest.mock('../../src/contexts.js', () => {
  const actual = jest.requireActual<{ scopes: readonly object[] }>('../../src/contexts.js');
  return {
    ...actual,
    get scopes() {
      return [...actual.scopes, { name: 'reviews:moderate', explicit: true }];
    },
  };
});

/** A verb of a team: `change`. */
@Controller({ path: 'key-names', version: '1' })
@RequireScope('keys:manage')
class KeyNames {
  constructor(private readonly keys: KeyIssuer) {}

  @Patch(':id')
  change(@Caller() actor: Caller<KeyFacts>, @Param('id') id: string) {
    return this.keys.change(id, (key) => key.with({ name: 'renamed' }), { actor });
  }
}

@Module({ imports: [AccessModule], controllers: [KeyNames] })
class KeyNamesModule {}

const HOUR_MS = 3_600_000;
const BUSINESS = { plan: 'business' } as const;
const EVERYTHING = [MODERATE.name, 'keys:manage', 'pets:read'];

/** Plan, scopes and expiry of a key. */
const KEYS = {
  business: BUSINESS,
  free: { plan: 'free' },
  'keys alone': { ...BUSINESS, scopes: ['keys:manage'] },
  'pets alone': { ...BUSINESS, scopes: ['pets:read'] },
  moderator: { ...BUSINESS, scopes: EVERYTHING },
  ends: { ...BUSINESS, expiresInMs: 2 * HOUR_MS },
  replaced: BUSINESS,
  revoked: BUSINESS,
  expired: { ...BUSINESS, expiresInMs: HOUR_MS },
  suspended: BUSINESS,
} as const;

/**
 * Who may do what to which key of the account: a row for the acting key, a column for the key that it acts on, or whose
 * fields it issues a new one with; the others are those of the acting key. A cell has the outcomes of list, get, issue,
 * change, rotate and revoke in this order: `y` for done, `.` for not on the list, or the last digit of a 4xx.
 */
const RIGHTS = `
acting     | itself | business | free   | keys alone | moderator | ends   | replaced | revoked | of others
business   | yyyyyy | yyyyyy   | yyyyyy | yyyyyy     | yy3333    | yyyyyy | yyyy9y   | .yyy9y  | .40444
free       | yyyyyy | yy3333   | yyyyyy | yy3333     | yy3333    | yy3333 | yy3333   | .y3333  | .40444
keys alone | yyyyyy | yyy333   | yyy333 | yyyyyy     | yy3333    | yyy333 | yyy333   | .yy333  | .40444
pets alone | 333333 | 333333   | 333333 | 333333     | 333333    | 333333 | 333333   | 333333  | 333333
moderator  | yyyyyy | yyy333   | yyy333 | yyyyyy     | yyyyyy    | yyy333 | yyy333   | .yy333  | .40444
ends       | yyyyyy | yyy333   | yyy333 | yyy333     | yy3333    | yyyyyy | yyyy9y   | .yy333  | .40444
replaced   | yy999y | yy9999   | yy9999 | yy9999     | yy9999    | yy9999 | yy9999   | .y9999  | .40999
revoked    | 111111 | 111111   | 111111 | 111111     | 111111    | 111111 | 111111   | 111111  | 111111
expired    | 111111 | 111111   | 111111 | 111111     | 111111    | 111111 | 111111   | 111111  | 111111
suspended  | 111111 | 111111   | 111111 | 111111     | 111111    | 111111 | 111111   | 111111  | 111111
`;

describe.each(databases.map(([name]) => name))('The rights of keys on %s', (name) => {
  let store: TestApp;
  let accounts = 0;

  beforeAll(async () => {
    const onPostgres = name === 'PostgreSQL' && { DATABASE_URL: (await temporaryPostgresOptions()).url };
    store = await TestApp.startWith(KeyNamesModule, { ...onPostgres });
  });
  afterAll(() => store.stop());

  const issuer = () => store.app.get(StoreKeyIssuer);

  async function issue(kind: string, account: string) {
    const wanted = KEYS[kind as keyof typeof KEYS];
    const { key, text } = await issuer().issue({ name: kind, account, ...wanted });
    return { id: key.id, text };
  }

  async function end(kind: string, id: string, account: string): Promise<void> {
    if (kind === 'replaced') await issuer().rotate(id, HOUR_MS);
    if (kind === 'revoked') await issuer().revoke(id);
    if (kind === 'expired') store.clock.advance(HOUR_MS);
    if (kind === 'suspended') await store.app.get(ChangeAccount).execute(account, 'suspend');
  }

  async function cellOf(acting: string, target: string): Promise<string> {
    const account = `account ${++accounts}`;
    const own = await issue(acting, account);
    const kind = target === 'itself' ? acting : target === 'of others' ? 'business' : target;
    const other = target === 'of others' ? `account ${++accounts}` : account;
    const { id } = target === 'itself' ? own : await issue(kind, other);
    if (target !== 'itself') await end(kind, id, other);
    await end(acting, own.id, account);
    await store.app.get(KeyChangesPoller).poll();

    const send = (method: string, path: string) => store.send(method, path, own.text);
    const listed = await send('GET', '/v1/keys');
    const isListed = listed.status !== 200 || (listed.body as { id: string }[]).some((key) => key.id === id);
    const { plan, scopes, expiresInMs } = KEYS[kind as keyof typeof KEYS] as Partial<RequestedKey>;
    const expiresAt = expiresInMs && new Date(store.clock.now() + expiresInMs - 1).toISOString();
    const wanted = { name: 'like it', plan, scopes, expiresAt, ...(other !== account && { account: other }) };
    const outcomes = [
      await send('GET', `/v1/keys/${id}`),
      await send('POST', '/v1/keys').send(wanted),
      await send('PATCH', `/v1/key-names/${id}`),
      await send('POST', `/v1/keys/${id}/rotate?graceSeconds=60`),
      await send('DELETE', `/v1/keys/${id}`),
    ];
    return [isListed ? outcome(listed) : '.', ...outcomes.map(outcome)].join('');
  }

  const outcome = ({ status }: { readonly status: number }) => (status < 300 ? 'y' : String(status % 10));

  it('are those of this table', async () => {
    const cells = (line: string) => line.split('|').map((cell) => cell.trim());
    const [columns, ...rows] = RIGHTS.trim().split('\n');
    const found = [columns];
    for (const row of Object.keys(KEYS)) {
      const line = [row.padEnd(10)];
      for (const column of cells(columns!).slice(1))
        line.push((await cellOf(row, column)).padEnd(Math.max(6, column.length)));
      found.push(line.join(' | ').trim());
    }
    expect(found.join('\n')).toBe([columns, ...rows].join('\n'));
  });
});
