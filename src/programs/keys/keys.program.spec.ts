import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { generateApiKey, isWellFormedApiKey } from '@animal-store/api-keys';
import { type Database, openDatabase } from '@animal-store/database';
import {
  describeOnPostgres,
  openNewSqlite,
  sqliteOptions,
  temporaryPostgresOptions,
} from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { loadSettings } from '../../settings/settings.js';
import type { ApiKey } from '../../access/domain/api-key.js';
import { Plans } from '../../access/domain/plan.js';
import { accessTables } from '../../access/infrastructure/access.tables.js';
import { TypeOrmDeprecatedCallRepository } from '../../access/infrastructure/deprecated-calls/typeorm-deprecated-call.repository.js';
import { TypeOrmApiKeyRepository } from '../../access/infrastructure/keys/typeorm-api-key.repository.js';
import { TypeOrmCounterStore } from '../../access/infrastructure/limits/typeorm-counter.store.js';
import { anApiKey } from '../../access/testing/api-key.builder.js';
import { VERSION } from '../../version.js';
import { runKeys } from './keys.program.js';
import type { Terminal } from './input/terminal.js';

/** A script, with nothing on standard input. */
const script: Terminal = {
  isInteractive: false,
  readSecret: () => Promise.resolve(''),
  confirm: () => Promise.reject(new Error('A script is not prompted.')),
};

describe('the keys command line', () => {
  let folder: string;
  let file: string;
  let clock: FakeClock;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
    file = join(folder, 'store.db');
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function keys(
    line: string,
    environment: NodeJS.ProcessEnv = {},
    terminal: Partial<Terminal> = {},
    print: (text: string) => void = () => undefined,
  ) {
    let out = '';
    let err = '';
    const code = await runKeys(line.split(' ').filter(Boolean), {
      environment: () => ({ DATABASE_URL: `sqlite:${file}`, ...environment }),
      clock,
      terminal: { ...script, ...terminal },
      print: (text) => {
        print(text);
        out += text;
      },
      complain: (text) => (err += text),
    });
    return { code, out, err };
  }

  /** What is printed before the outcome. */
  const using = () => `keys: using the database file ${file}.\n`;

  /** Creates a database like a server that has issued no key. */
  async function createDatabase(): Promise<void> {
    await (await openNewSqlite(sqliteOptions(file), [accessTables])).close();
  }

  /** Does what a server does to the database. */
  async function serve(work: (database: Database) => Promise<void>): Promise<void> {
    const database = await openDatabase(settings().database, [accessTables]);
    await work(database).finally(() => database.close());
  }

  const settings = () => loadSettings({ DATABASE_URL: `sqlite:${file}` });
  const repositoryIn = (database: Database) =>
    new TypeOrmApiKeyRepository(database, new Plans(settings().rateLimits));

  async function put(given: readonly ApiKey[]): Promise<void> {
    if (!existsSync(file)) await createDatabase();
    await serve(async (database) => {
      await repositoryIn(database).change([], () => given);
    });
  }

  /** Saves usage: the key has 7 requests today and is banned for another 59 seconds. */
  async function ban(subject: string, banRefusals = 30, caller = subject): Promise<void> {
    const nowMs = clock.now();
    const endMs = (Math.floor(nowMs / 86_400_000) + 1) * 86_400_000;
    const used = { subject, caller: subject, isAddress: false, windows: [{ key: 'day', endMs, count: 7 }] };
    const banned = { banUntilMs: nowMs + 59_000, banMs: 60_000, banRefusals };
    const notBanned = { banUntilMs: 0, banMs: 0, banRefusals: 0 };
    await serve(async (database) => {
      const counters = new TypeOrmCounterStore(database, settings());
      if (caller !== subject) await counters.save([{ ...used, ...notBanned }]);
      await counters.save([{ ...used, caller, ...banned, ...(caller !== subject && { windows: [] }) }]);
    });
  }

  /** A line with arguments that will not do: exit code 2, one line that says why, and nothing opened. */
  async function complaintOf(line: string, terminal: Partial<Terminal> = {}): Promise<string> {
    const { code, out, err } = await keys(line, {}, terminal);
    expect({ code, out, isOpened: existsSync(file) }).toEqual({ code: 2, out: '', isOpened: false });
    expect(err).toMatch(/^keys: [^\n]+\n$/);
    return err;
  }

  /** What is printed when a command fails with exit code 1. */
  const failure = (text: string) => ({ code: 1, out: '', err: `${using()}keys: ${text}\n` });

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- JSON, as a script would read it
  async function json(line: string, environment: NodeJS.ProcessEnv = {}): Promise<any> {
    const creates = !existsSync(file);
    const { code, out, err } = await keys(`${line} --json`, environment);
    expect(err).toBe(creates ? `keys: created the tables in the database file ${file}.\n` : using());
    expect(code).toBe(0);
    return JSON.parse(out);
  }

  it('create prints the key once, as one JSON object', async () => {
    const created = await json('create --name shop --plan pro --account zoo --expires-in 90d');
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      key: expect.stringMatching(/^ask_live_[0-9A-Za-z]{38}$/),
      name: 'shop',
      account: 'zoo',
      plan: 'pro',
      perMinute: 300,
      perDay: 10_000,
      scopes: null,
      createdAt: '2026-03-14T12:00:00.000Z',
      expiresAt: '2026-06-12T12:00:00.000Z',
    });
    expect(JSON.stringify(await json('list'))).not.toContain(created.key);
  });

  it('create makes enterprise keys with the limits given, in an account of their own', async () => {
    const created = await json('create --name shop --plan enterprise --per-minute 5 --per-day 70');
    expect(created).toMatchObject({
      plan: 'enterprise',
      perMinute: 5,
      perDay: 70,
      account: created.id,
      expiresAt: null,
    });
  });

  it('create takes the prefix and the limits of the plans from the settings', async () => {
    const settings = { API_ENVIRONMENT: 'staging', FREE_PER_MINUTE: '7' };
    const created = await json('create --name shop --plan free', settings);
    expect(isWellFormedApiKey(created.key, 'ask_test_')).toBe(true);
    expect(created.perMinute).toBe(7);
  });

  it('show adds the usage and the ban', async () => {
    const { id } = await json('create --name shop --plan free');
    expect(await json(`show ${id}`)).toEqual({
      id,
      name: 'shop',
      account: id,
      plan: 'free',
      perMinute: 60,
      perDay: 1_000,
      scopes: null,
      createdAt: '2026-03-14T12:00:00.000Z',
      createdBy: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      lastUsedDay: null,
      status: 'active',
      usage: { minute: null, day: { used: 0, limit: 1_000, resetsAt: '2026-03-15T00:00:00.000Z' } },
      ban: null,
    });
  });

  it('list has the keys that were not used for a while, and show the day of the last use', async () => {
    await put([
      anApiKey({ id: 'key_anna', createdAtMs: clock.now() - 200 * 86_400_000 }),
      anApiKey({ id: 'key_bert', createdAtMs: clock.now() - 200 * 86_400_000 }),
      anApiKey({ id: 'key_carl', createdAtMs: clock.now() - 89 * 86_400_000 }),
    ]);
    const today = Math.floor(clock.now() / 86_400_000);
    await serve((database) => repositoryIn(database).noteUses(['key_bert'], today - 90));
    const unused = async (duration: string) =>
      (await json(`list --unused-for ${duration}`)).map(({ id }: { id: string }) => id);

    expect(await unused('90d')).toEqual(['key_anna']);
    expect(await unused('89d')).toEqual(['key_anna', 'key_bert']);
    expect(await unused('88d')).toEqual(['key_anna', 'key_bert', 'key_carl']);
    expect((await keys('list --unused-for 89d')).out).toMatch(/LAST USED .*\n.* never .*\n.* 2025-12-14 /);
    expect((await keys('list --unused-for 300d')).out).toBe('No key matches.\n');
    expect(await json('show key_bert')).toMatchObject({ lastUsedDay: '2025-12-14' });
    expect((await keys('show key_bert')).out).toContain('  last used   2025-12-14\n');
  });

  it('history says who has done what to a key, and when', async () => {
    const me = `${userInfo().username}@${hostname()}`;
    const { id } = await json('create --name shop --plan free --account zoo --scope pets:read');
    clock.advance(1_000);
    await json(`set-plan ${id} --plan pro`);
    const { id: successor } = await json(`rotate ${id} --grace 1h`);
    await ban('account zoo', 30, id);
    await json(`unban ${id}`);
    await json(`revoke ${id}`);

    const at = '2026-03-14T12:00:01.000Z';
    const history = await json(`history ${id}`);
    expect(history).toEqual([
      {
        key: id,
        at: '2026-03-14T12:00:00.000Z',
        by: me,
        before: null,
        after: expect.objectContaining({ name: 'shop' }),
      },
      {
        key: id,
        at,
        by: me,
        before: { plan: 'free', perMinute: 60, perDay: 1_000 },
        after: { plan: 'pro', perMinute: 300, perDay: 10_000 },
      },
      {
        key: id,
        at,
        by: me,
        before: { expiresAt: null, replacedBy: null },
        after: { expiresAt: '2026-03-14T13:00:01.000Z', replacedBy: successor },
      },
      {
        key: id,
        at,
        by: me,
        before: { bannedUntil: '2026-03-14T12:01:00.000Z' },
        after: { bannedUntil: null },
      },
      { key: id, at, by: me, before: { revokedAt: null }, after: { revokedAt: at } },
    ]);
    expect(JSON.stringify(history)).not.toMatch(/ask_live_|[0-9a-f]{64}/);
    expect(await json(`history ${successor}`)).toMatchObject([{ before: null }]);
    expect((await keys(`history ${id}`)).out).toBe(`2026-03-14T12:00:00.000Z ${id} by ${me}, issued
  name        shop
  account     zoo
  plan        free
  perMinute   60
  perDay      1000
  scopes      pets:read
  expiresAt   none
  revokedAt   none
  suspendedAt none
  replacedBy  none

${at} ${id} by ${me}
  plan        free -> pro
  perMinute   60 -> 300
  perDay      1000 -> 10000

${at} ${id} by ${me}
  expiresAt   none -> 2026-03-14T13:00:01.000Z
  replacedBy  none -> ${successor}

${at} ${id} by ${me}
  bannedUntil 2026-03-14T12:01:00.000Z -> none

${at} ${id} by ${me}
  revokedAt   none -> ${at}
`);
  });

  it('history of a key of an earlier release has no changes', async () => {
    await put([anApiKey()]);
    expect(await json('history key_anna')).toEqual([]);
    expect((await keys('history key_anna')).out).toBe(
      'No change of this key is known: it was issued before changes were recorded.\n',
    );
  });

  describe('list of more keys than are read at a time', () => {
    beforeEach(() =>
      put(
        Array.from({ length: 2_001 }, (_, index) =>
          anApiKey({
            id: `key_${String(index).padStart(4, '0')}`,
            createdAtMs: index,
            name: index < 1_000 ? 'a' : 'a longer name',
          }),
        ),
      ),
    );

    it('is printed a part at a time, in JSON as one array', async () => {
      const printed: string[] = [];
      const print = (text: string) => printed.push(text);
      const listed = await keys('list --json', {}, {}, print);
      expect(listed.code).toBe(0);
      expect(printed.filter((text) => text !== '').map((text) => text.slice(-2))).toEqual([
        '"}',
        '"}',
        '"}',
        ']\n',
      ]);
      expect(printed[0]).toMatch(/^\[\{"id":"key_0000",.*"id":"key_0999"[^{]*\}$/);
      const all = JSON.parse(listed.out) as { id: string }[];
      expect(all.map(({ id }) => Number(id.slice(4)))).toEqual(Array.from({ length: 2_001 }, (_, at) => at));
      expect(listed.out.endsWith(']\n')).toBe(true);
    });

    it('is one table whose columns become wider, with one title', async () => {
      const lines = (await keys('list')).out.split('\n');
      expect(lines).toHaveLength(2_003);
      expect(lines[0]).toMatch(/^ID {8}NAME {2}ACCOUNT /);
      expect(lines[1]).toMatch(/^key_0000 {2}a {5}zoo /);
      expect(lines[1_001]).toMatch(/^key_1000 {2}a longer name {2}zoo /);
      expect(lines.filter((line) => line.startsWith('ID'))).toHaveLength(1);
    });

    it('has all keys, also when it reads their usage', async () => {
      expect(await json('list --usage')).toHaveLength(2_001);
    });
  });

  it('rotate prints the new key and the old one, which works for another day', async () => {
    const old = await json('create --name shop --plan free --account zoo');
    const rotated = await json(`rotate ${old.id}`);
    expect(isWellFormedApiKey(rotated.key, 'ask_live_')).toBe(true);
    expect(rotated).toMatchObject({ name: 'shop', account: 'zoo', plan: 'free', expiresAt: null });
    expect(rotated.replaces).toMatchObject({
      id: old.id,
      expiresAt: '2026-03-15T12:00:00.000Z',
      replacedBy: rotated.id,
      status: 'active',
    });
    expect((await json(`rotate ${rotated.id} --grace 0s`)).replaces.status).toBe('revoked');
  });

  it('create limits a key to the scopes that are named, each once, and rotate copies them', async () => {
    const { id, scopes } = await json(
      'create --name shop --plan free --scope orders:write --scope pets:read --scope pets:read',
    );
    expect(scopes).toEqual(['orders:write', 'pets:read']);
    expect((await keys(`show ${id}`)).out).toContain('  scopes      orders:write, pets:read\n');
    expect((await json(`rotate ${id}`)).scopes).toEqual(scopes);
    expect((await json('create --name all --plan free')).scopes).toBeNull();
  });

  it('exits 2 for a scope that there is not, and creates nothing', async () => {
    expect(await complaintOf('create --name shop --plan free --scope pets:fly')).toContain(
      'Allowed choices are pets:read, pets:write,',
    );
  });

  it('revoke ends a key, and may be repeated', async () => {
    const { id } = await json('create --name shop --plan free');
    const revoked = await json(`revoke ${id}`);
    expect(revoked).toMatchObject({ id, revokedAt: '2026-03-14T12:00:00.000Z', status: 'revoked' });
    clock.advance(1_000);
    expect(await json(`revoke ${id}`)).toEqual(revoked);
  });

  it('suspends, resumes and revokes all keys of an account, and has one history of them', async () => {
    const { id } = await json('create --name shop --plan free --account zoo');
    const other = await json('create --name app --plan free --account zoo');
    const statuses = async (line: string) =>
      (await json(line)).map(({ status }: { status: string }) => status);
    expect(await statuses('suspend --account zoo')).toEqual(['suspended', 'suspended']);
    expect((await keys('create --name more --plan free --account zoo')).err).toContain(
      'The account zoo is suspended: resume it before it gets a key.',
    );
    expect(await json(`show ${id}`)).toMatchObject({ status: 'suspended' });
    expect(await statuses('resume --account zoo')).toEqual(['active', 'active']);
    expect(await statuses('revoke --account zoo --yes')).toEqual(['revoked', 'revoked']);
    expect((await keys('revoke --account zoo')).out).toBe('No key of zoo had to be changed.\n');
    const history = (await json('history --account zoo')).map(({ key }: { key: string }) => key);
    expect(history.toSorted()).toEqual([...Array(4).fill(id), ...Array(4).fill(other.id)].sort());
    expect(await keys('suspend --account nobody')).toEqual(
      failure('No API key belongs to the account nobody.'),
    );
  });

  it('revoke says which keys it has made are left, also those of a suspended account', async () => {
    const [root, made] = [anApiKey({ id: 'key_root' }), anApiKey({ id: 'key_made', createdBy: 'key_root' })];
    await put([root, made]);
    await keys(`suspend --account ${root.account}`);
    expect((await keys('revoke key_root')).out).toContain(
      'It has made keys that work or are suspended; --with-descendants revokes them: key_made.',
    );
    await keys('revoke key_made');
    expect((await keys('revoke key_root')).out).toContain('No key that it has made works or is suspended.');
  });

  it('unban lifts a ban, prints the key, and says when there was no ban', async () => {
    const { id } = await json('create --name shop --plan free');
    await ban(id);
    expect((await keys(`unban ${id}`)).out).toMatch(/^The ban is lifted\.\n/);
    expect(await json(`unban ${id}`)).toMatchObject({ id, status: 'active', wasBanned: false });
    expect((await keys(`unban ${id}`)).out).toMatch(/^There was no ban to lift\.\n/);
  });

  describe('bans', () => {
    it('lists keys and addresses, with the end of each ban', async () => {
      const { id } = await json('create --name shop --plan free');
      expect((await keys('bans')).out).toBe('Nobody is banned.\n');
      await ban(id);
      await ban('2001:db8:1:2::/64');
      const since = '2026-03-14T11:59:59.000Z';
      const until = '2026-03-14T12:00:59.000Z';
      const shownBan = { since, until, refusals: 30 };
      expect(await json('bans')).toEqual(
        expect.arrayContaining([
          { keyId: id, account: id, address: null, ...shownBan },
          { keyId: null, account: null, address: '2001:db8:1:2::/64', ...shownBan },
        ]),
      );
      expect((await keys('bans')).out.split('\n').filter(Boolean).sort()).toEqual([
        expect.stringMatching(/^2001:db8:1:2::\/64 +- +03-14 11:59Z  03-14 12:00Z  30$/),
        expect.stringMatching(/^KEY OR ADDRESS +ACCOUNT +BANNED SINCE  UNTIL         REFUSED$/),
        expect.stringMatching(new RegExp(`^${id} +${id}  03-14 11:59Z  03-14 12:00Z  30$`)),
      ]);
    });

    it('of a key are shown with it, and with no other key of its account', async () => {
      const { id } = await json('create --name shop --plan free --account zoo');
      const other = await json('create --name app --plan pro --account zoo');
      await ban('account zoo', 30, id);
      expect(await json('bans')).toMatchObject([{ keyId: id, account: 'zoo', address: null }]);
      expect(await json(`show ${id}`)).toMatchObject({ usage: { day: { used: 7 } }, ban: { refusals: 30 } });
      expect(await json(`show ${other.id}`)).toMatchObject({ usage: { day: { used: 7 } }, ban: null });
      expect((await keys(`show ${id}`)).out).toContain(
        '  ban         until 2026-03-14T12:00:59.000Z, for 30 refused requests within a minute\n',
      );
      expect(await json(`unban ${id}`)).toMatchObject({ id, wasBanned: true });
      expect(await json('bans')).toEqual([]);
    });

    it('of an address are lifted by unban, an IPv6 address by its /64', async () => {
      await createDatabase();
      await ban('203.0.113.7');
      await ban('2001:db8:1:2::/64');
      await ban('unknown');
      expect(await json('unban 203.0.113.7')).toEqual({ address: '203.0.113.7', wasBanned: true });
      expect((await keys('unban 203.0.113.7')).out).toBe('There was no ban to lift.\n');
      expect(await json('unban 2001:DB8:1:2:3::4')).toEqual({
        address: '2001:db8:1:2::/64',
        wasBanned: true,
      });
      expect((await keys('unban 2001:db8:1:2::/64')).out).toBe('There was no ban to lift.\n');
      expect((await keys('unban unknown')).out).toBe('The ban is lifted.\n');
      expect(await json('bans')).toEqual([]);
    });

    it.each(['203.0.113.0/24', '203.0.113', '2001:db8::/32', 'localhost', 'key-7'])(
      'are not lifted of %s, which is no address and no key',
      async (who) => {
        expect(await complaintOf(`unban ${who}`)).toContain('neither the id of a key nor an address');
      },
    );
  });

  describe('list', () => {
    it('has only the keys that its filters let through, in the order of issue', async () => {
      const shop = await json('create --name shop --plan free --account zoo');
      clock.advance(1_000);
      await json('create --name app --plan pro --account zoo');
      clock.advance(1_000);
      await json('create --name shop --plan pro');
      await json(`revoke ${shop.id}`);
      const names = async (options: string) =>
        (await json(`list ${options}`)).map(({ name }: { name: string }) => name);
      expect(await names('--account zoo')).toEqual(['shop', 'app']);
      expect(await names('--account zoo --active')).toEqual(['app']);
      expect(await names('--plan pro --account zoo')).toEqual(['app']);
      expect((await keys('list --account ark')).out).toBe('No key matches.\n');
    });

    it('adds the usage and the ban of each key with --usage', async () => {
      const { id } = await json('create --name shop --plan free');
      expect(await json('list')).toEqual([expect.not.objectContaining({ usage: expect.anything() })]);
      await ban(id);
      expect(await json('list --usage')).toEqual([await json(`show ${id}`)]);
      expect((await keys('list --usage')).out).toBe(
        'ID                    NAME  ACCOUNT    PLAN  TODAY   BANNED UNTIL  STATUS\n' +
          `${id}  shop  (its own)  free  7/1000  03-14 12:00Z  active\n`,
      );
    });
  });

  describe('find', () => {
    const given = (text: string): Partial<Terminal> => ({ readSecret: () => Promise.resolve(text) });

    it('says whose key it is, from its text on standard input', async () => {
      const { key, id } = await json('create --name shop --plan free --account zoo');
      const { code, out } = await keys('find --json', {}, given(`${key}\n`));
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual((await json('list'))[0]);
      expect((await keys('find', {}, given(key))).out).toContain(id);
    });

    it('exits 1 when no key has the text, and does not repeat it', async () => {
      await createDatabase();
      const text = generateApiKey('ask_live_');
      expect(await keys('find', {}, given(text))).toEqual(failure('No API key has this text.'));
    });

    it.each([
      ['a mistyped key', () => given(`${generateApiKey('ask_live_').slice(0, -1)}_`), 'or it is mistyped'],
      ['something else', () => given('hello'), 'not the text of a key'],
      ['nothing', () => given(' \n'), 'there is no text of a key'],
      ['a person who gives up', () => ({ readSecret: () => Promise.resolve(null) }), 'there is no text'],
    ])('exits 2 for %s, with nothing opened', async (_, terminal, complaint) => {
      expect(await complaintOf('find', terminal())).toContain(complaint);
    });
  });

  describe('deprecated', () => {
    /** Stores calls, so many days ago. */
    async function call(keyId: string, calls: number, daysAgo = 0): Promise<void> {
      const day = Math.floor(clock.now() / 86_400_000) - daysAgo;
      const called = { operation: 'getPet', keyId, account: null, day, calls };
      await serve((database) => new TypeOrmDeprecatedCallRepository(database).add([called]));
    }

    it('lists who has called what in the last 30 days, who called most first', async () => {
      const shop = await json('create --name shop --plan free --account zoo');
      expect((await keys('deprecated')).out).toBe(
        'Nobody has called a deprecated operation in the last 30 days.\n',
      );
      await call(shop.id, 2, 29);
      await call(shop.id, 20, 1);
      await call('key_gone', 7);
      await call('key_gone', 1_000, 30);
      expect(await json('deprecated')).toEqual([
        {
          operation: 'getPet',
          keyId: shop.id,
          calls: 22,
          lastDay: '2026-03-13',
          key: (await json('list'))[0],
        },
        { operation: 'getPet', keyId: 'key_gone', calls: 7, lastDay: '2026-03-14', key: null },
      ]);
      expect((await keys('deprecated')).out).toBe(
        'OPERATION  CALLS  LAST DAY    ID                    NAME  ACCOUNT  PLAN\n' +
          `getPet     22     2026-03-13  ${shop.id}  shop  zoo      free\n` +
          'getPet     7      2026-03-14  key_gone              -     -        -\n',
      );
    });
  });

  describe('revoke on a terminal', () => {
    it('prompts before, and revokes nothing unless the person agrees', async () => {
      const { id } = await json('create --name shop --plan free --account zoo');
      const confirm = jest.fn().mockResolvedValueOnce(false).mockResolvedValueOnce(true);
      const person = { isInteractive: true, confirm };
      expect(await keys(`revoke ${id}`, {}, person)).toEqual(failure(`${id} is not revoked.`));
      expect(confirm).toHaveBeenCalledWith(`Revoke ${id} (shop, account zoo) permanently? [y/N] `);
      expect(await json(`show ${id}`)).toMatchObject({ status: 'active' });
      expect((await keys(`revoke ${id}`, {}, person)).code).toBe(0);
      expect(await json(`show ${id}`)).toMatchObject({ status: 'revoked' });
    });

    it('does not prompt with --yes', async () => {
      const { id } = await json('create --name shop --plan free');
      expect((await keys(`revoke ${id} --yes`, {}, { isInteractive: true })).code).toBe(0);
    });
  });

  describe('never sends text of others to a terminal as input', () => {
    const BAD = '\u202egpj.exe\u001b[2J\u009b31m';
    const SAFE = /^[^\p{Cc}\p{Bidi_Control}]*$/u;
    // Keys of an earlier version may have such a name.
    const old = anApiKey({ id: 'key_old', name: BAD, account: BAD });

    it.each(['list', 'show key_old', 'set-plan key_old --plan pro', 'rotate key_old', 'revoke key_old'])(
      'from `keys %s`',
      async (line) => {
        await put([old]);
        const { code, out } = await keys(line);
        expect(code).toBe(0);
        expect(out).toContain('\ufffdgpj.exe\ufffd[2J\ufffd31m');
        for (const text of out.split('\n')) expect(text).toMatch(SAFE);
      },
    );

    it('nor in JSON, which says the same', async () => {
      await put([old]);
      const { out } = await keys('show key_old --json');
      expect(out.trimEnd()).toMatch(SAFE);
      expect(JSON.parse(out)).toMatchObject({ name: BAD, account: BAD });
    });

    it('in a question', async () => {
      await put([old]);
      const confirm = jest.fn().mockResolvedValue(false);
      await keys('revoke key_old', {}, { isInteractive: true, confirm });
      expect(confirm).toHaveBeenCalledWith(expect.stringMatching(SAFE));
    });

    it('in a complaint, or in the name of the database', async () => {
      await put([old]);
      const { err } = await keys(`list --${BAD}`);
      expect(err.trimEnd()).toMatch(SAFE);
      const missing = await keys('list', { DATABASE_URL: `sqlite:${folder}/${BAD}.db` });
      expect(missing.err.trimEnd()).toMatch(SAFE);
    });
  });

  it('prints its version', async () => {
    expect(await keys('--version')).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  });

  it('suggests the command that is meant', async () => {
    expect((await keys('lst')).err).toBe("keys: unknown command 'lst' (Did you mean list?)\n");
    expect((await keys('list --actve')).err).toContain('(Did you mean --active?)');
  });

  it('explains durations in the help of the commands that take one, with one default', async () => {
    const { out } = await keys('rotate --help');
    expect(out.match(/default/g)).toHaveLength(1);
    expect(out).toContain('(default: 24h)');
    expect(out).toContain('such as 90s, 15m, 24h or 90d');
    expect((await keys('create --help')).out).toContain('such as 90s, 15m, 24h or 90d');
  });

  it('names the database in the folder where it runs, when nothing names another one', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const used = join(process.cwd(), 'data/animal-store.db');
      const { err } = await keys('create --name shop --plan free', { DATABASE_URL: '' });
      expect(err).toBe(`keys: created the tables in the database file ${used}.\n`);
      expect(await keys('list --json', { DATABASE_URL: '' })).toMatchObject({
        code: 0,
        err: `keys: using the database file ${used}.\n`,
      });
    } finally {
      process.chdir(before);
    }
  });

  it('explains itself with --help, without a database', async () => {
    const { code, out } = await keys('--help');
    expect(code).toBe(0);
    expect(out).toContain('rotate [options] <id>');
    expect(existsSync(file)).toBe(false);
  });

  describe('for people', () => {
    it('create shows the key and a word of warning', async () => {
      const { out } = await keys('create --name shop --plan free');
      expect(out).toContain('shown only this once');
      expect(out).toMatch(/^ {2}ask_live_[0-9A-Za-z]{38}$/m);
      expect(out).toContain('free (60 a minute, 1000 a day)');
    });

    it('history says that a key without scopes may do everything', async () => {
      const { id } = (await json('create --name shop --plan free')) as { id: string };
      expect((await keys(`history ${id}`)).out).toContain('\n  scopes      all\n');
    });

    it('list prints a table, or that there are no keys', async () => {
      await createDatabase();
      expect((await keys('list')).out).toBe('There are no keys yet.\n');
      expect((await keys('--json list')).out).toBe('[]\n');
      const { id } = await json('create --name shop --plan free --account zoo');
      const [head, row, ...rest] = (await keys('list')).out.split('\n');
      expect(head).toBe('ID                    NAME  ACCOUNT  PLAN  CREATED     EXPIRES  STATUS');
      expect(row).toBe(`${id}  shop  zoo      free  2026-03-14  never    active`);
      expect(rest).toEqual(['']);
    });

    it('rotate says how long the old key still works', async () => {
      const { id } = await json('create --name shop --plan free');
      const { out } = await keys(`rotate ${id} --grace 2h`);
      expect(out).toContain(`The old key, ${id}, works until 2026-03-14T14:00:00.000Z.`);
    });
  });

  it.each([
    ['without a command', '', 'name a command'],
    ['with an unknown command', 'make', "unknown command 'make'"],
    ['with an unknown option', 'create --name shop --plan free --colour red', "unknown option '--colour'"],
    ['with an argument too many', 'list all', 'too many arguments'],
    ['create without a name', 'create --plan free', "required option '--name <name>' not specified"],
    ['create without a plan', 'create --name shop', "required option '--plan <plan>' not specified"],
    ['create with an unknown plan', 'create --name shop --plan gold', 'free, pro, business, enterprise'],
    ['create with a name that will not do', 'create --name a\u0007b --plan free', 'control character'],
    ['create free with limits', 'create --name shop --plan free --per-minute 5', 'plan are settings'],
    [
      'create with a limit that is no number',
      'create --name shop --plan enterprise --per-minute 1e3 --per-day 5',
      'whole number',
    ],
    ['create with no time to live', 'create --name shop --plan free --expires-in 0d', 'longer than 0'],
    ['create with an unknown unit', 'create --name shop --plan free --expires-in 3w', 's, m, h or d'],
    ['list in an order of its own', 'list --sort name', "unknown option '--sort'"],
    ['revoke without a key or an account', 'revoke', 'name one key by its id, or an account'],
    ['history of both', 'history key_1 --account zoo', 'name one key by its id, or an account'],
    ['show without an id', 'show', "missing required argument 'id'"],
    ['set-plan without a plan', 'set-plan key_1', "required option '--plan <plan>' not specified"],
    [
      'set-plan with limits that do not go with it',
      'set-plan key_1 --plan pro --per-day 5',
      'plan are settings',
    ],
    ['rotate with a grace that is no duration', 'rotate key_1 --grace soon', 's, m, h or d'],
  ])('exits 2 %s, with one line and nothing opened', async (_, line, complaint) => {
    expect(await complaintOf(line)).toContain(complaint);
  });

  it.each(['show', 'history', 'rotate', 'revoke', 'unban'])(
    'exits 1 when %s names a key that does not exist',
    async (command) => {
      await createDatabase();
      expect(await keys(`${command} key_nobody --json`)).toEqual(
        failure('No API key has the id key_nobody.'),
      );
    },
  );

  it.each(['set-plan ID --plan pro', 'rotate ID'])('exits 1 when %s names a revoked key', async (line) => {
    const { id } = await json('create --name shop --plan free');
    await json(`revoke ${id}`);
    const before = await json('list');
    expect(await keys(line.replace('ID', id))).toEqual(failure(`Key ${id} is revoked.`));
    expect(await json('list')).toEqual(before);
  });

  it.each([
    'list',
    'list --usage',
    'bans',
    'show ID',
    'set-plan ID --plan pro',
    'rotate ID',
    'revoke ID',
    'unban ID',
    'unban 203.0.113.7',
  ])('exits 1 when there is no database for %s, names it and creates nothing', async (line) => {
    file = join(folder, 'elsewhere', 'store.db');
    expect(await keys(line.replace('ID', 'key_0123456789abcdef'))).toEqual({
      code: 1,
      out: '',
      err: `keys: The database file ${file} does not exist or is empty: is DATABASE_URL right?\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  describeOnPostgres('on PostgreSQL', () => {
    it('exits 1 when the database is empty, and leaves it so unless it creates a key', async () => {
      const { url } = await temporaryPostgresOptions();
      const { host, pathname } = new URL(url);
      const name = `database at ${host}${pathname}`;
      expect(await keys('list', { DATABASE_URL: url })).toEqual({
        code: 1,
        out: '',
        err: `keys: The ${name} does not exist or is empty: is DATABASE_URL right?\n`,
      });
      expect(await keys('create --name shop --plan free', { DATABASE_URL: url })).toMatchObject({
        code: 0,
        err: `keys: created the tables in the ${name}.\n`,
      });
      expect(await keys('list --json', { DATABASE_URL: url })).toMatchObject({
        code: 0,
        err: `keys: using the ${name}.\n`,
      });
    });
  });

  it('leaves an empty file as it is unless it creates a key', async () => {
    writeFileSync(file, '');
    expect((await keys('list')).code).toBe(1);
    expect(readdirSync(folder)).toEqual(['store.db']);
    expect(readFileSync(file)).toHaveLength(0);

    expect(await keys('create --name shop --plan free')).toMatchObject({
      code: 0,
      err: `keys: created the tables in the database file ${file}.\n`,
    });
  });

  describe('given the text of a key', () => {
    const secret = '4fJq0Zt8Yw2Lr6Kd9Xs3Vn7Bm1Hc5Gp0aB3dE1';

    it.each([
      ...['show', 'rotate', 'revoke', 'unban', 'set-plan --plan pro'].map((command) => `${command} KEY`),
      'KEY',
      'show key_1 KEY',
      'find KEY',
      'list --KEY',
      'create --name KEY --plan free',
      'create --name shop --account KEY --plan free',
      'create --name shop --plan KEY',
      'create --name shop --plan free --expires-in KEY',
      'create --name shop --plan enterprise --per-minute KEY --per-day 5',
      'show key_KEY',
    ])('exits 2 for %s and never repeats it', async (line) => {
      for (const key of [`ask_live_${secret}`, `ask_test_${secret}`, `ASK_LIVE_${secret}`]) {
        const complaint = await complaintOf(line.replace('KEY', key));
        expect(complaint.toLowerCase()).not.toContain(secret.slice(0, 8).toLowerCase());
      }
    });

    it('says that it expects an id', async () => {
      expect(await complaintOf(`show ask_live_${secret}`)).toBe(
        'keys: this is the text of a key, which is a secret. Pass its id, such as key_0123456789abcdef; "keys find" reads the text from standard input and shows it.\n',
      );
    });

    it('never repeats other text that is not an id', async () => {
      expect(await complaintOf(`show ${secret}`)).toBe(
        'keys: this is not the id of a key. An id looks like key_0123456789abcdef.\n',
      );
    });
  });

  it('exits 1 with bad settings, naming each', async () => {
    expect(await keys('list', { PORT: 'x', LOG_LEVEL: 'loud' })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^PORT must be .*\nLOG_LEVEL must be .*\n$/),
    });
  });
});
