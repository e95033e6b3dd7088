import { DataSource } from 'typeorm';
import { hashApiKey, isWellFormedApiKey } from '../api-key.js';
import { defineScope } from '../scope.js';
import { type KeyChange, KeyIssuer } from './key-issuer.js';
import {
  ApiKeyNotFound,
  ExceedsOwnKey,
  InactiveApiKey,
  InvalidNewKey,
  OwnKeyNeedsGrace,
} from './managed-key.errors.js';
import type { ManagedKey, NewKey } from './managed-key.js';
import { apiKeyTables, TypeOrmKeyStore } from '../typeorm/index.js';

const DAY_MS = 86_400_000;

describe('KeyIssuer', () => {
  const database = new DataSource({ type: 'better-sqlite3', database: ':memory:', ...apiKeyTables });
  const store = new TypeOrmKeyStore(database);
  let nowMs: number;
  let changes: KeyChange<ManagedKey>[];
  let issuer: KeyIssuer;

  class NotingIssuer extends KeyIssuer {
    protected override async onChange(change: KeyChange<ManagedKey>): Promise<void> {
      changes.push(change);
    }
  }

  beforeAll(() => database.initialize());

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 2, 14);
    await database.query('DELETE FROM api_keys');
    changes = [];
    issuer = new NotingIssuer({ store, prefix: 'acme_live_', now: () => nowMs });
  });

  afterAll(() => database.destroy());

  /** A key of the account `zoo` that acts. */
  async function manager(wanted: Partial<NewKey> = {}) {
    const { key } = await issuer.issue({ name: 'manager', account: 'zoo', ...wanted });
    return { actor: { keyId: key.id, account: key.account } };
  }

  it('issues a key whose hash alone is stored, with the facts of the application', async () => {
    const { key, text } = await issuer.issue({ name: ' Till ', scopes: ['ships:read'], team: 'blue' });
    expect(isWellFormedApiKey(text, 'acme_live_')).toBe(true);
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      name: 'Till',
      team: 'blue',
    });
    expect(key.account).toBe(key.id);
    expect(await store.findByHash(hashApiKey(text))).toMatchObject({ keyId: key.id, team: 'blue' });
    expect(JSON.stringify(key)).not.toContain(text);
  });

  it.each<[string, unknown]>([
    ['an empty name', { name: ' ' }],
    ['a name that is no text', { name: 7 }],
    ['a name with the text of a key', { name: 'ACME_LIVE_12345678' }],
    ['an account with a line break', { name: 'Till', account: 'a\nb' }],
    ['no scope at all', { name: 'Till', scopes: [] }],
    ['a scope with a space', { name: 'Till', scopes: ['ships:read all'] }],
    ['scopes that are no list', { name: 'Till', scopes: 'ships:read' }],
    ['an expiry in the past', { name: 'Till', expiresAtMs: Date.UTC(2026, 2, 14) }],
    ['an expiry that is no time', { name: 'Till', expiresAtMs: 'never' }],
    ['an expiry that is a text', { name: 'Till', expiresAtMs: '1900000000000' }],
    ['an expiry within a millisecond', { name: 'Till', expiresAtMs: 1_900_000_000_000.5 }],
    ['an expiry beyond exact numbers', { name: 'Till', expiresAtMs: Infinity }],
    ['more than a hundred scopes', { name: 'Till', scopes: Array(101).fill('a') }],
    ['nothing', undefined],
    ['a text', 'Till'],
  ])('refuses %s', async (_, wanted) => {
    await expect(issuer.issue(wanted as NewKey)).rejects.toThrow(InvalidNewKey);
    expect(changes).toEqual([]);
  });

  it('rotates a key: the new one is like it, and the old one works for the grace', async () => {
    const { key } = await issuer.issue({ name: 'Till', scopes: ['ships:read'], team: 'blue' });
    nowMs += DAY_MS;
    const { key: successor, replaced, text } = await issuer.rotate(key.id, DAY_MS);
    expect(successor).toMatchObject({
      account: key.id,
      scopes: ['ships:read'],
      team: 'blue',
      createdAtMs: nowMs,
    });
    expect(replaced).toMatchObject({ expiresAtMs: nowMs + DAY_MS, replacedBy: successor.id });
    expect(await store.findByHash(hashApiKey(text))).toMatchObject({ keyId: successor.id });
    await expect(issuer.rotate(key.id, 0)).rejects.toThrow(InactiveApiKey);
    expect((await issuer.rotate(successor.id, 0)).replaced.revokedAtMs).toBe(nowMs);
  });

  it('never prolongs a key by rotating it', async () => {
    const { key } = await issuer.issue({ name: 'Till', expiresAtMs: nowMs + 1_000 });
    const { key: successor, replaced } = await issuer.rotate(key.id, DAY_MS);
    expect([successor.expiresAtMs, replaced.expiresAtMs]).toEqual([nowMs + 1_000, nowMs + 1_000]);
  });

  it('revokes a key once, however often', async () => {
    const { key } = await issuer.issue({ name: 'Till' });
    const revoked = await issuer.revoke(key.id);
    nowMs += DAY_MS;
    expect(await issuer.revoke(key.id)).toEqual(revoked);
    await expect(issuer.rotate(key.id, 0)).rejects.toThrow(InactiveApiKey);
    await expect(issuer.revoke('key_nobody')).rejects.toThrow(ApiKeyNotFound);
  });

  it('lets a key make others of its account, with its facts, and say what they may do', async () => {
    const own = await manager({ scopes: ['keys:manage', 'ships:read'], ...{ team: 'blue' } });
    const wanted = { name: 'Till', scopes: ['ships:read'], account: 'ark', team: 'red' };
    const { key } = await issuer.issue(wanted, own);
    expect(key).toMatchObject({ account: 'zoo', team: 'blue', scopes: ['ships:read'] });
    expect((await issuer.issue({ name: 'Till' }, own)).key.scopes).toEqual(['keys:manage', 'ships:read']);
  });

  it.each<[string, Partial<NewKey>]>([
    ['a scope that it does not have', { scopes: ['ships:write'] }],
    ['every scope', { scopes: null }],
    ['a later end', { expiresAtMs: Date.UTC(2027, 0, 1) }],
    ['no end', { expiresAtMs: null }],
  ])('lets no key make one with %s', async (_, wanted) => {
    const own = await manager({ scopes: ['keys:manage'], expiresAtMs: nowMs + DAY_MS });
    await expect(issuer.issue({ name: 'Till', ...wanted }, own)).rejects.toThrow(ExceedsOwnKey);
    const { key } = await issuer.issue({ name: 'larger', account: 'zoo', ...wanted });
    await expect(issuer.rotate(key.id, 0, own)).rejects.toThrow(ExceedsOwnKey);
  });

  it('changes nothing for a key that is revoked or expired, but may revoke that again', async () => {
    const own = await manager({ expiresAtMs: nowMs + DAY_MS });
    const { key } = await issuer.issue({ name: 'Till' }, own);
    await issuer.revoke(own.actor.keyId);
    const refused = [
      () => issuer.issue({ name: 'Till' }, own),
      () => issuer.rotate(key.id, 0, own),
      () => issuer.revoke(key.id, own),
    ];
    for (const act of refused) await expect(act()).rejects.toThrow(InactiveApiKey);
    await issuer.revoke(own.actor.keyId, own);

    const expiring = await manager({ expiresAtMs: nowMs + DAY_MS });
    nowMs += DAY_MS;
    await expect(issuer.revoke(key.id, expiring)).rejects.toThrow(InactiveApiKey);
  });

  it('issues no key with a scope that is not defined, and says which there are', async () => {
    const scopes = [defineScope('reviews:read'), defineScope('reviews:moderate', { explicit: true })];
    issuer = new KeyIssuer({ store, prefix: 'acme_live_', scopes, now: () => nowMs });
    await expect(issuer.issue({ name: 'Till', scopes: ['reviews:read', 'reviews:fly'] })).rejects.toThrow(
      new InvalidNewKey('There is no scope reviews:fly; there are reviews:read, reviews:moderate.'),
    );
  });

  it('refuses to replace the acting key at once, as a lost response would lock its account out', async () => {
    const own = await manager();
    await expect(issuer.rotate(own.actor.keyId, 0, own)).rejects.toThrow(OwnKeyNeedsGrace);
    expect((await issuer.rotate(own.actor.keyId, 0)).replaced.revokedAtMs).toBe(nowMs);
  });

  it('names the maker of each key, and revokes its descendants with it when requested', async () => {
    const own = await manager();
    const { key: child } = await issuer.issue({ name: 'child' }, own);
    const actor = { keyId: child.id, account: 'zoo' };
    const { key: grandchild } = await issuer.issue({ name: 'grandchild' }, { actor });
    const { key: gone } = await issuer.issue({ name: 'gone' }, own);
    await issuer.revoke(gone.id);
    expect([child.createdBy, grandchild.createdBy]).toEqual([own.actor.keyId, child.id]);

    const ids = (keys: readonly ManagedKey[]) => keys.map(({ id }) => id).sort();
    const alone = await issuer.revoke(own.actor.keyId);
    expect(ids(alone.descendants)).toEqual(ids([child, grandchild]));
    const all = await issuer.revoke(own.actor.keyId, { withDescendants: true });
    expect(all.descendants.map(({ revokedAtMs }) => revokedAtMs)).toEqual([nowMs, nowMs]);
    expect((await issuer.revoke(own.actor.keyId)).descendants).toEqual([]);
  });

  it.each(['manager', 'child'])(
    'revokes what the %s makes meanwhile, also without a transaction',
    async (maker) => {
      const own = await manager();
      const { key: child } = await issuer.issue({ name: 'child' }, own);
      const keyId = maker === 'child' ? child.id : own.actor.keyId;
      const found = store.descendantsOf.bind(store);
      jest.spyOn(store, 'descendantsOf').mockImplementationOnce(async (...words) => {
        const descendants = await found(...words);
        await issuer.issue({ name: 'late' }, { actor: { keyId, account: 'zoo' } });
        return descendants;
      });
      const { descendants } = await issuer.revoke(own.actor.keyId, { withDescendants: true, ...own });
      expect(descendants.map(({ name, revokedAtMs }) => [name, revokedAtMs])).toEqual([
        ['child', nowMs],
        ['late', nowMs],
      ]);
    },
  );

  it.each(['a key that it has made', 'its successor'])(
    'spares the acting key among the descendants, so that an account is not locked out: %s',
    async (which) => {
      const own = await manager();
      const leaked = own.actor.keyId;
      const { key: acting } = await (which === 'its successor'
        ? issuer.rotate(leaked, 1_000, own)
        : issuer.issue({ name: 'acting' }, own));
      const made = await issuer.issue({ name: 'thief' }, { actor: { keyId: acting.id, account: 'zoo' } });
      const actor = { keyId: acting.id, account: 'zoo' };
      const { key, descendants } = await issuer.revoke(leaked, { withDescendants: true, actor });

      expect(key.revokedAtMs).toBe(nowMs);
      expect(descendants.map(({ id, revokedAtMs }) => [id, revokedAtMs])).toEqual([
        [made.key.id, nowMs],
        [acting.id, null],
      ]);
      expect((await issuer.revoke(acting.id, { withDescendants: true, actor })).key.revokedAtMs).toBe(nowMs);
    },
  );

  it('bounds what an acting key may do by a verb of the application', async () => {
    const wide = (key: ManagedKey) => key.with({ scopes: null });
    const { actor } = await manager({ scopes: ['keys:manage'] });
    await expect(issuer.change(actor.keyId, wide, { actor })).rejects.toThrow(ExceedsOwnKey);
    await issuer.revoke(actor.keyId);
    const revive = (key: ManagedKey) => key.with({ revokedAtMs: null });
    await expect(issuer.change(actor.keyId, revive, { actor })).rejects.toThrow(InactiveApiKey);
  });

  it('gives the change by a verb a time, so that servers read it, and none to what changes nothing', async () => {
    const { key } = await issuer.issue({ name: 'Till', scopes: ['a', 'b', 'a'] });
    expect(key.scopes).toEqual(['a', 'b']);
    await issuer.change(key.id, (same) => same);
    expect(await store.latestChangeMs()).toBeNull();
    const changed = await issuer.change(key.id, (one) => one.with({ scopes: ['a'] }));
    expect(changed.changedAtMs).toBe(nowMs);
    expect(changes).toHaveLength(2);
  });

  it('reports who has changed what', async () => {
    const own = await manager();
    const { key } = await issuer.issue({ name: 'Till' }, own);
    await issuer.revoke(key.id);
    expect(changes).toMatchObject([
      { before: null, after: { id: own.actor.keyId, createdBy: null }, actor: undefined },
      { before: null, after: { id: key.id, createdBy: own.actor.keyId }, actor: own.actor, atMs: nowMs },
      { before: { revokedAtMs: null }, after: { revokedAtMs: nowMs }, actor: undefined },
    ]);
  });
});
