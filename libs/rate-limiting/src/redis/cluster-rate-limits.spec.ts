import { Cluster } from 'ioredis';
import { FallbackRateLimitStore } from '../stores/fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from '../stores/memory-rate-limit.store.js';
import { aCaller, free, HOUR, NOON, planOf, UNTIL_BANNED, usageOf } from '../testing/callers.js';
import { describeOnRedis } from '../testing/describe-on-redis.js';
import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { RedisCluster, until } from '../testing/redis-cluster.js';
import { traffic } from '../testing/traffic.js';
import { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './redis-rate-limit.store.js';

describeOnRedis('RedisRateLimitStore in a Redis Cluster', () => {
  let cluster: RedisCluster;
  /** One that an application has made for itself. */
  let client: Cluster;
  const stores: RedisRateLimitStore[] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    client = new Cluster(cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })));
    // Random traffic makes many stores.
    client.setMaxListeners(100);
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
  });
  afterAll(async () => {
    client?.disconnect();
    await cluster?.stop();
  });

  let prefixes = 0;
  /** A new store on the connection of the application. */
  function makeStore(options: RedisRateLimitStoreOptions = {}): RedisRateLimitStore {
    const given = { time: 'caller', keyPrefix: `rl${prefixes++}:`, ...options } as const;
    const store = new RedisRateLimitStore(client, given);
    stores.push(store);
    return store;
  }

  async function connectedStore(options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    const store = await RedisRateLimitStore.at(cluster.url, options);
    stores.push(store);
    for (const node of ['', ...store.nodes()]) await store.probe(5_000, node);
    return store;
  }

  describeRateLimitStore(
    'RedisRateLimitStore with a Cluster of ioredis',
    (bans, monotonicMs) => makeStore({ bans, monotonicMs }),
    { traffic, runs: 20 },
  );

  it('allows exactly the limit of each of many subjects on all nodes, requested at once through several replicas', async () => {
    const replicas = [await connectedStore(), await connectedStore()];
    const ids = Array.from({ length: 30 }, (_, index) => `caller-${index}`);
    expect(new Set(ids.map((id) => replicas[0]!.nodeOf(id))).size).toBe(3);
    const allowed = await Promise.all(
      ids.map(async (id) => {
        const decisions = await Promise.all(
          replicas.map((store) => aCaller(store, free, id).consumeAtOnce(40)),
        );
        return decisions.flat().filter((decision) => decision.allowed).length;
      }),
    );
    expect(allowed).toEqual(ids.map(() => 60));
  });

  it('calls a node once for all requests of a subject in a turn', async () => {
    const store = await connectedStore({ keyPrefix: 'turn:' });
    const server = await cluster.primaryOf('turn:{key-7}');
    await aCaller(store).consume();
    await server.call('CONFIG', 'RESETSTAT');
    await aCaller(store).consumeAtOnce(50);
    expect(await server.call('INFO', 'commandstats')).toMatch(/^cmdstat_evalsha:calls=1,/m);
  });

  it('names the node of a subject as the cluster does', async () => {
    const store = await connectedStore();
    for (const subject of ['key-7', 'key-8', '2001:db8:0:1::/64', 'Žofie', '']) {
      const { name } = await cluster.primaryOf(`rl:{${subject}}`);
      expect([subject, store.nodeOf(subject)]).toEqual([subject, name]);
    }
    expect([...store.nodes()].sort()).toEqual(cluster.servers.map(({ name }) => name).sort());
  });

  it('with braces in the prefix, which put all subjects into one slot, knows only the node of that slot', async () => {
    const store = await connectedStore({ keyPrefix: '{shop}:' });
    const { name } = await cluster.primaryOf('{shop}:');
    expect([store.nodeOf('key-7'), store.nodeOf('key-8'), store.nodes()]).toEqual([name, name, [name]]);
  });

  it('rejects the requests of a subject whose key is no hash, and no others', async () => {
    const store = makeStore({ keyPrefix: 'spoilt:' });
    await client.set('spoilt:{key-8}', 'Rex');
    const requests = ['key-7', 'key-8', 'key-7'].map((id) => aCaller(store, free, id).consume());
    expect(await Promise.allSettled(requests)).toMatchObject([
      { value: { minute: 59 } },
      { reason: { name: 'SubjectNotCounted', subject: 'key-8' } },
      { value: { minute: 58 } },
    ]);
  });

  it('shows the usage and the bans of all nodes, and lifts one', async () => {
    const store = makeStore({ keyPrefix: 'seen:', monotonicMs: () => 0 });
    const ids = Array.from({ length: 12 }, (_, index) => `banned-${index}`);
    await Promise.all(ids.map((id) => aCaller(store, planOf(1, 5), id).consumeTimes(1 + 20)));
    await client.set('seen:{something}', 'else');
    const bans = await store.findBans(NOON);
    expect(bans.map(({ caller }) => caller).sort()).toEqual([...ids].sort());
    expect(await usageOf(store, NOON, 'banned-7')).toMatchObject({ day: 1, ban: { refusals: 20 } });
    await store.liftBan('banned-7', NOON);
    expect(await store.usage('banned-7', NOON)).toMatchObject({ ban: null });
  });

  it('uses the time of the other nodes where the clock of a node is slow', async () => {
    const store = makeStore({ monotonicMs: () => 0 });
    const [one, other] = ['key-7', 'key-8'].map((id) => aCaller(store, planOf(2, 5), id));
    expect(store.nodeOf('key-7')).not.toBe(store.nodeOf('key-8'));
    await one!.consume(NOON);
    expect(await other!.consume(NOON - 2 * HOUR)).toMatchObject({ minuteResetSeconds: 60 });
    await one!.consume(NOON);
    expect(await other!.consume(NOON)).toMatchObject({ minute: 0 });
  });

  it('counts every request exactly once while the slot of its subject moves to another node and back', async () => {
    const replicas = [await connectedStore(), await connectedStore()];
    const subjects = Array.from({ length: 25 }, (_, index) => `{moved}-${index}`);
    const plan = planOf(1_000_000, 1_000_000);
    const from = await cluster.primaryOf('rl:{{moved}');
    const to = cluster.servers.find((server) => server !== from)!;
    let count = 0;
    let isOver = false;
    const load = replicas.map(async (store) => {
      while (!isOver) {
        await Promise.all(subjects.map((id) => store.consume({ id, plan }, Date.now())));
        count++;
      }
    });
    const loaded = Promise.all(load);
    const aWhile = async () => {
      const enough = count + 10;
      const isEnough = until(() => Promise.resolve(count >= enough));
      await Promise.race([isEnough, loaded]);
    };
    try {
      // As of the whole key: all of these have the same first braces.
      await cluster.move('rl:{{moved}', to, aWhile);
      await aWhile();
      await cluster.move('rl:{{moved}', from, aWhile);
    } finally {
      isOver = true;
    }
    await loaded;
    for (const id of subjects)
      expect(await usageOf(replicas[0]!, Date.now(), id)).toMatchObject({ day: count });
  });
});

describeOnRedis('FallbackRateLimitStore in a Redis Cluster', () => {
  let cluster: RedisCluster;
  let store: FallbackRateLimitStore;
  let remote: RedisRateLimitStore;
  let events: string[];

  beforeAll(async () => {
    cluster = await RedisCluster.start(3, 1);
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  beforeEach(async () => {
    events = [];
    const local = new MemoryRateLimitStore();
    remote = await RedisRateLimitStore.at(cluster.url, { mirror: local });
    store = new FallbackRateLimitStore(remote, local, {
      // A busy machine is no lost node.
      timeoutMs: 500,
      probeEveryMs: 50,
      onLost: (_, node) => events.push(`lost ${node}`),
      onRestored: (node) => events.push(`restored ${node}`),
    });
    await store.start();
    expect(store.degraded).toBe(false);
  });
  afterEach(async () => {
    await store.close();
  });

  const untilRestored = () => until(() => Promise.resolve(!store.degraded));

  it('limits only the subjects of a killed primary locally, from the counts it saw, until a replica has replaced it', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `killed-${index}`);
    const callers = ids.map((id) => aCaller(store, free, id));
    await Promise.all(callers.map((caller) => caller.consumeTimes(10, Date.now())));
    const victim = await cluster.primaryOf('rl:{killed-0}');
    const node = store.nodes;
    expect([...node.values()]).toEqual([true, true, true]);
    await cluster.untilReplicated(victim);
    await victim.kill();

    const decisions = await Promise.all(callers.map((caller) => caller.consume(Date.now())));
    for (const decision of decisions) expect(decision).toMatchObject({ minute: 49 });
    expect(events).toEqual([`lost ${victim.name}`]);
    expect(store.nodes.get(victim.name)).toBe(false);
    expect([...store.nodes.values()].filter(Boolean)).toHaveLength(2);
    // The local store decides without a promise.
    for (const id of ids) {
      const isLost = remote.nodeOf(id) === victim.name;
      expect(store.consume({ id, plan: free }, Date.now()) instanceof Promise).toBe(!isLost);
    }

    await cluster.untilFailedOver(victim, 'rl:{killed-0}');
    await untilRestored();
    expect(events).toEqual([`lost ${victim.name}`, `restored ${victim.name}`]);
    expect([...store.nodes.values()]).toEqual([true, true, true]);
    expect(store.nodes.has(victim.name)).toBe(false);
    // What was counted here meanwhile is not added.
    expect(await callers[0]!.consume(Date.now())).toMatchObject({ minute: 49 });
    await victim.revive();
    await cluster.untilWhole();
  });

  it('decides nothing later than its time limit while a node is paused, and counts there again afterwards', async () => {
    const { consume } = aCaller(store, free, 'paused');
    await consume(Date.now());
    const victim = await cluster.primaryOf('rl:{paused}');
    victim.pause();
    const startedAtMs = Date.now();
    expect(await consume(Date.now())).toMatchObject({ minute: 58 });
    expect(Date.now() - startedAtMs).toBeLessThan(5_000);
    expect(store.degraded).toBe(true);
    victim.resume();
    await untilRestored();
    expect(await consume(Date.now())).toMatchObject({ allowed: true });
    await cluster.untilWhole();
  });

  it('lifts a ban of a subject of a lost node when that is repeated after the node is back', async () => {
    const { consumeTimes } = aCaller(store, free, 'lifted');
    await consumeTimes(UNTIL_BANNED, Date.now());
    const victim = await cluster.primaryOf('rl:{lifted}');
    await cluster.untilReplicated(victim);
    await victim.kill();
    await aCaller(store, free, 'lifted').consume(Date.now());
    const liftedAtMs = Date.now() + 1_000;
    await expect(store.liftBan('lifted', liftedAtMs)).rejects.toThrow();
    await cluster.untilFailedOver(victim, 'rl:{lifted}');
    await untilRestored();
    await store.liftBan('lifted', liftedAtMs);
    expect(await usageOf(store, Date.now(), 'lifted')).toMatchObject({ minute: 60, ban: null });
    await victim.revive();
    await cluster.untilWhole();
  });
});
