import { Controller, Delete, Module, Param, Post } from '@nestjs/common';
import { Public } from '@animal-store/api-keys';
import { AccessModule } from '../../src/access/access.module.js';
import { StoreKeyIssuer, type RequestedKey } from '../../src/access/application/key-issuer.service.js';
import { ListKeyChanges } from '../../src/access/application/list-key-changes.use-case.js';
import { InactiveApiKey, KeyIssuer, type ManagedKey } from '@animal-store/api-keys/issuing';
import { KeyChangesPoller } from '../../src/access/infrastructure/keys/key-changes.poller.js';
import { databases } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';
import { temporaryPostgresOptions } from '@animal-store/database/testing';

const HOUR_MS = 3_600_000;

/** What a team writes that lets its customers sign up. */
@Public()
@Controller({ path: 'sign-ups', version: '1' })
class SignUps {
  constructor(private readonly keys: KeyIssuer) {}

  @Post()
  async signUp() {
    const { key } = await this.keys.issue({ name: 'sign-up', account: 'team', plan: 'free' });
    return this.keys.issue({ name: 'made' }, { actor: { keyId: key.id, account: key.account } });
  }

  @Post(':id/more')
  async more(@Param('id') keyId: string) {
    const issue = () => this.keys.issue({ name: 'more' }, { actor: { keyId, account: 'team' } });
    for (let count = 0; count < 2 * MOST; count++) await issue();
  }

  @Post('without-plan')
  withoutPlan() {
    return this.keys.issue({ name: 'sign-up' });
  }

  @Delete(':id')
  async signOff(@Param('id') id: string) {
    await this.keys.revoke(id);
  }
}

@Module({ imports: [AccessModule], controllers: [SignUps] })
class SignUpsModule {}
const MOST = 5;

describe.each(databases.map(([name]) => name))('/v1/keys on %s', (name) => {
  let store: TestApp;
  let accounts = 0;

  beforeAll(async () => {
    const onPostgres = name === 'PostgreSQL' && { DATABASE_URL: (await temporaryPostgresOptions()).url };
    store = await TestApp.startWith(SignUpsModule, { MAX_KEYS_PER_ACCOUNT: String(MOST), ...onPostgres });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.stop());

  async function issue(input: Partial<RequestedKey> = {}) {
    const account = `account ${++accounts}`;
    const given = { name: 'first', plan: 'pro', account, ...input } as const;
    const { key, text } = await store.app.get(StoreKeyIssuer).issue(given);
    return { id: key.id, account: key.account, text };
  }

  const post = (key: string, body: object = {}, path = '') =>
    store.send('POST', `/v1/keys${path}`, key).send(body);
  const ids = async (key: string): Promise<string[]> =>
    ((await store.send('GET', '/v1/keys', key).expect(200)).body as { id: string }[]).map(({ id }) => id);

  it('409 too_many_keys: many requests at once make exactly as many as the bound allows', async () => {
    const { text } = await issue({ plan: 'business' });
    const made = await Promise.all(Array.from({ length: 20 }, () => post(text, { name: 'Till' })));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(MOST - 1);
    expect(made.filter(({ body }) => body.code === 'too_many_keys')).toHaveLength(20 - (MOST - 1));
    expect(await ids(text)).toHaveLength(MOST);
  });

  it('409 too_many_keys: neither rotating nor revoking makes keys without bound', async () => {
    const { text, id } = await issue({ plan: 'business' });
    const statuses: number[] = [];
    let last = { id, key: text };
    for (let count = 0; count < 2 * MOST; count++) {
      const { status, body } = await post(last.key, {}, `/${last.id}/rotate?graceSeconds=3600`);
      statuses.push(status);
      if (status === 201) last = body;
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(MOST - 1);

    const thief = await issue({ plan: 'business' });
    let victim = (await issue({ account: thief.account })).id;
    const replaced: number[] = [];
    for (let count = 0; count < 2 * MOST; count++) {
      const { status, body } = await post(thief.text, {}, `/${victim}/rotate?graceSeconds=0`);
      replaced.push(status);
      if (status === 201) victim = body.id;
    }
    expect(replaced.filter((status) => status === 201)).toHaveLength(MOST - 2);

    const { text: other } = await issue({ plan: 'business' });
    let made = 0;
    for (let count = 0; count < 2 * MOST; count++) {
      const { status, body } = await post(other, { name: 'Till' });
      if (status !== 201) continue;
      made++;
      await store.send('DELETE', `/v1/keys/${body.id}`, other).expect(200);
    }
    expect(made).toBe(MOST - 1);
  });

  it('makes nothing with a key that is revoked at the same time, even before the server knows', async () => {
    const { text, id, account } = await issue({ plan: 'business' });
    const witness = await issue({ account });
    await ids(text);
    const [, ...made] = await Promise.all([
      store.app.get(StoreKeyIssuer).revoke(id),
      ...Array.from({ length: 3 }, () => post(text, { name: 'Till' })),
    ]);
    const actor = { keyId: id, account };
    await expect(store.app.get(StoreKeyIssuer).issue({ name: 'Till' }, { actor })).rejects.toThrow(
      InactiveApiKey,
    );
    const works = made.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
    expect(await ids(witness.text)).toEqual([witness.id, ...works].sort());
  });

  it('lets a module of a team issue keys with the plans, the history and the bounds of the service', async () => {
    const { body } = await store.send('POST', '/v1/sign-ups', null).expect(201);
    const { id, createdBy } = body.key as ManagedKey;
    const history = () => store.app.get(ListKeyChanges).execute({ id });
    expect(await history()).toMatchObject([{ by: createdBy, before: null, after: { plan: 'free' } }]);
    const refused = await store.send('POST', `/v1/sign-ups/${id}/more`, null).expect(409);
    expect(refused.body.code).toBe('too_many_keys');
    const without = await store.send('POST', '/v1/sign-ups/without-plan', null).expect(400);
    expect(without.body.message).toContain('A key needs a plan');
    await store.send('DELETE', `/v1/sign-ups/${id}`, null).expect(200);
    expect(await history()).toHaveLength(2);
  });

  // What follows is the same on every database.
  if (name === 'PostgreSQL') return;

  it('201: makes a key of the same account, whose text works and is shown only now', async () => {
    const { id, text, account } = await issue();
    const { body, headers } = await post(text, {
      name: ' Till ',
      plan: 'free',
      scopes: ['orders:write', 'pets:read'],
    }).expect(201);

    expect(body).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      key: expect.stringMatching(/^ask_live_[0-9A-Za-z]{38}$/),
      name: 'Till',
      plan: 'free',
      perMinute: 60,
      perDay: 1_000,
      scopes: ['orders:write', 'pets:read'],
      createdAt: '2026-03-14T12:00:00.000Z',
      createdBy: id,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    const { key, ...shown } = body;
    expect(headers['location']).toBe(`/v1/keys/${body.id}`);
    expect((await store.send('GET', headers['location']!, text).expect(200)).body).toEqual(shown);
    expect(await ids(text)).toEqual([id, body.id].sort());
    expect((await store.send('GET', '/v1/keys', text)).text).not.toContain(key);
    await store.send('GET', '/v1/pets', key).expect(200);
    await store.send('POST', '/v1/pets', key).expect(403);
    expect(account).not.toBe(body.id);
  });

  it('201: what is left out is as with the key that makes it', async () => {
    const limits = { plan: 'enterprise', perMinute: 7, perDay: 70 } as const;
    const { text } = await issue({ ...limits, scopes: ['keys:manage', 'pets:read'], expiresInMs: HOUR_MS });
    const { body } = await post(text, { name: 'Till' }).expect(201);
    expect(body).toMatchObject({
      ...limits,
      scopes: ['keys:manage', 'pets:read'],
      expiresAt: '2026-03-14T13:00:00.000Z',
    });
  });

  // What else a key may make is in the table of rights.
  it('403 exceeds_own_key: makes none with limits of its own', async () => {
    const { text, id } = await issue();
    const { body } = await post(text, { name: 'Till', plan: 'enterprise' }).expect(403);
    expect(body.code).toBe('exceeds_own_key');
    expect(await ids(text)).toEqual([id]);
  });

  it.each([
    ['without a name', {}],
    ['with the text of a key as its name', { name: 'ask_live_0123456789' }],
    ['with a name that a terminal obeys', { name: 'a\u001b[2J' }],
    ['with a scope that there is not', { name: 'Till', scopes: ['pets:fly'] }],
    ['with an empty list of scopes', { name: 'Till', scopes: [] }],
    ['that is over already', { name: 'Till', expiresAt: '2026-03-14T12:00:00Z' }],
    ['of another account', { name: 'Till', account: 'zoo' }],
  ])('400: makes none %s', async (_, body) => {
    const response = await post((await issue()).text, body).expect(400);
    expect(response.body.code).toBe('validation_failed');
  });

  it('404: shows only the beginning of a long text that is no id', async () => {
    const { text } = await issue();
    const { body } = await store.send('GET', `/v1/keys/${'x'.repeat(5_000)}`, text).expect(404);
    expect(body.message).toBe(`No API key has the id ${'x'.repeat(64)}.`);
  });

  it('rotates itself: the new key is of the same account, the old one works until the grace period ends', async () => {
    const { text, id } = await issue();
    const { body } = await post(text, {}, `/${id}/rotate?graceSeconds=3600`).expect(201);
    const old = await store.send('GET', `/v1/keys/${id}`, body.key).expect(200);
    expect(old.body).toMatchObject({ replacedBy: body.id, expiresAt: '2026-03-14T13:00:00.000Z' });
    await store.send('GET', '/v1/pets', text).expect(200);
    expect((await post(text, {}, `/${id}/rotate`).expect(409)).body.code).toBe('inactive_api_key');
  });

  it('200: revokes a key and itself, which may be repeated and takes effect at the next poll', async () => {
    const { text, account } = await issue();
    const other = await issue({ account });
    const revoked = await store.send('DELETE', `/v1/keys/${other.id}`, text).expect(200);
    expect(revoked.body).toMatchObject({ id: other.id, revokedAt: '2026-03-14T12:00:00.000Z' });
    expect((await store.send('DELETE', `/v1/keys/${other.id}`, text).expect(200)).body).toEqual(revoked.body);
    const own = (await ids(text))[0]!;
    await store.send('DELETE', `/v1/keys/${own}`, text).expect(200);
    await store.app.get(KeyChangesPoller).poll();
    for (const key of [text, other.text]) await store.send('GET', '/v1/keys', key).expect(401);
  });

  it('has what a key does to others in their history, under the id of that key', async () => {
    const { text, id } = await issue();
    const history = async (of: string) =>
      (await store.app.get(ListKeyChanges).execute({ id: of })).map(({ by }) => by);
    const { body: made } = await post(text, { name: 'Till' }).expect(201);
    const { body: rotated } = await post(text, {}, `/${made.id}/rotate`).expect(201);
    await store.send('DELETE', `/v1/keys/${made.id}`, text).expect(200);
    expect(await history(made.id)).toEqual([id, id, id]);
    expect(await history(rotated.id)).toEqual([id]);
    expect(await history(id)).toEqual([expect.stringMatching(/^.+@.+$/)]);

    await post(text, { name: 'Till', plan: 'business' }).expect(403);
    const other = await issue();
    await store.send('DELETE', `/v1/keys/${rotated.id}`, other.text).expect(404);
    await post(other.text, {}, `/${rotated.id}/rotate`).expect(404);
    expect(await history(rotated.id)).toEqual([id]);
  });

  it('409 own_key_needs_grace: replaces itself with a grace, as a lost response would lock its account out', async () => {
    const { text, id } = await issue();
    const { body } = await post(text, {}, `/${id}/rotate?graceSeconds=0`).expect(409);
    expect(body.code).toBe('own_key_needs_grace');
    await post(text, {}, `/${id}/rotate?graceSeconds=60`).expect(201);
  });

  it('201, 400: the expiry of the example works today, and one in the past is named', async () => {
    const { text } = await issue();
    const { body: document } = await store.send('GET', '/openapi.json', null).expect(200);
    const { example } = document.components.schemas.NewKey.properties.expiresAt;
    expect(example).toBe('2027-03-14T12:00:00Z');
    await post(text, { name: 'Till', expiresAt: example }).expect(201);
    const { body } = await post(text, { name: 'Till', expiresAt: '2026-03-14T11:59:59Z' }).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed' });
    expect(body.message).toBe('expiresAt must be later than now, in whole milliseconds.');
  });

  it.each(['', '-1', '1.5', '1e3', '0x10', '315360001', '99999999999999999999'])(
    '400 invalid_parameter: a grace of %j seconds, and changes nothing',
    async (seconds) => {
      const { text, id } = await issue();
      const { body } = await post(text, {}, `/${id}/rotate?graceSeconds=${seconds}`).expect(400);
      expect(body.code).toBe('invalid_parameter');
      expect(body.message).toMatch(/^graceSeconds must [^;]+\.$/);
      expect(await ids(text)).toEqual([id]);
    },
  );

  it('400 invalid_parameter: takes no Idempotency-Key, as a client would rely on it', async () => {
    const { text, id } = await issue();
    const { body } = await post(text, { name: 'Till' }).set('Idempotency-Key', 'once').expect(400);
    expect(body.message).toContain('Idempotency-Key must be left out');
    await store.send('GET', `/v1/keys/${id}`, text).set('Idempotency-Key', 'once').expect(200);
    expect(await ids(text)).toEqual([id]);
  });

  it('shows what a revoked key has made and still works, and revokes that with descendants=true', async () => {
    const { text, id, account } = await issue();
    const witness = await issue({ account });
    const { body: child } = await post(text, { name: 'child' }).expect(201);
    const { body: grandchild } = await post(child.key, { name: 'grandchild' }).expect(201);
    const { body: revoked } = await store.send('DELETE', `/v1/keys/${child.id}`, witness.text).expect(200);
    expect(revoked).toMatchObject({ revokedDescendants: 0, remainingDescendants: [grandchild.id] });

    const all = await store.send('DELETE', `/v1/keys/${id}?descendants=true`, text).expect(200);
    expect(all.body).toMatchObject({ id, revokedDescendants: 1, remainingDescendants: [] });
    expect(await ids(witness.text)).toEqual([witness.id]);
    const refused = await store.send('DELETE', `/v1/keys/${id}?descendants=yes`, witness.text).expect(400);
    expect(refused.body.message).toContain('descendants');
  });

  it('lists a page at a time', async () => {
    const { text, account, id } = await issue();
    const all = [id, (await issue({ account })).id, (await issue({ account })).id].sort();
    const first = await store.send('GET', '/v1/keys?limit=2', text).expect(200);
    const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)!;
    const second = await store.send('GET', next!, text).expect(200);
    expect([...first.body, ...second.body].map((key: { id: string }) => key.id)).toEqual(all);
    expect(second.headers['link']).toBeUndefined();
  });
});
