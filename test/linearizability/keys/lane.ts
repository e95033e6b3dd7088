import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../cluster/cluster.js';
import { keysCommand } from '../../support/keys-command.js';
import type { Recorder } from '../recorder.js';
import { lostKeys } from './check.js';

const ACCOUNTS = 6;
/** So that its second key is soon refused. */
const FEW_PER_MINUTE = 1;
const BURST = 60;
const PAUSE_REQUESTS = 40;
const STALENESS_MS = 5_500;

interface Family {
  readonly account: string;
  readonly root: string;
  /** Another key of the account, which the root has not made. */
  readonly sibling: string;
  /** What the root has made, and what that has. */
  readonly descendants: string[];
}

/**
 * Keys that make others, and an operator who suspends one account and revokes the root of the next one with its
 * descendants, while everything fails.
 */
export class KeysLane {
  private readonly families: Family[] = [];
  private banned: readonly string[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly recorder: Recorder,
    private readonly isOver: () => boolean,
  ) {}

  /** All keys before the first fault. */
  async prepare(): Promise<void> {
    for (let index = 0; index < ACCOUNTS; index++) {
      const account = `family ${index}`;
      const [root, sibling] = await this.cluster.newKeys(2, undefined, () => account);
      this.families.push({ account, root: root!, sibling: sibling!, descendants: [] });
    }
    this.banned = await this.cluster.newKeys(2, FEW_PER_MINUTE, () => 'banned');
  }

  async run(): Promise<void> {
    await this.ban();
    for (const [index, family] of this.families.entries()) {
      await this.recorder.requests(PAUSE_REQUESTS);
      if (this.isOver()) return;
      const child = await this.make(family.root);
      if (child !== null) family.descendants.push(child);
      const grandchild = child && (await this.make(child));
      if (grandchild) family.descendants.push(grandchild);
      await this.useAll([family.root, family.sibling, ...family.descendants]);
      await this.end(family, index % 2 === 0);
      for (const { root, sibling, descendants } of this.families.slice(0, index + 1))
        await this.useAll([root, sibling, ...descendants]);
    }
  }

  /** When all is repaired: what was ended has ended everywhere, and nothing else. */
  async conclude(): Promise<readonly string[]> {
    await delay(STALENESS_MS);
    const keys = this.families.flatMap(({ root, sibling, descendants }) => [root, sibling, ...descendants]);
    await this.useAll(keys);
    return lostKeys(keys, this.recorder);
  }

  /** One key of an account continues after its refusals, and the other one does not. */
  private async ban(): Promise<void> {
    const [culprit, sibling] = this.banned as [string, string];
    await Promise.all(Array.from({ length: BURST }, (_, index) => this.use(culprit, index)));
    await this.useAll([sibling, culprit, sibling]);
  }

  private async end({ account, root, sibling, descendants }: Family, isAccount: boolean): Promise<void> {
    const environment = { DATABASE_URL: this.cluster.databaseUrl, NODE_ENV: 'production' };
    const what = ['--account', account];
    const id = `key_${root.slice(-16)}`;
    const words = isAccount ? ['suspend', ...what] : ['revoke', id, '--with-descendants', '--yes'];
    // PostgreSQL may be down: an operator tries again.
    while (!(await keysCommand(environment, ...words).then(Boolean, () => false))) {
      await this.recorder.requests(PAUSE_REQUESTS);
      if (this.isOver()) return;
    }
    const keys = [root, ...descendants, ...(isAccount ? [sibling] : [])];
    this.recorder.keyEnds.push({ keys, doneMs: performance.now() });
  }

  private async make(key: string): Promise<string | null> {
    const made = await this.cluster
      .replica(0)
      .post('/v1/keys', key, '{"name":"made"}')
      .then((response) => response.json() as Promise<{ key?: string }>)
      .catch(() => null);
    return made?.key ?? null;
  }

  private async useAll(keys: readonly string[]): Promise<void> {
    for (let replica = 0; replica < this.cluster.size; replica++)
      await Promise.all(keys.map((key) => this.use(key, replica)));
  }

  private async use(key: string, replica: number): Promise<void> {
    const invokedMs = performance.now();
    const response = await this.cluster
      .replica(replica % this.cluster.size)
      .get('/v1/pets?limit=1', key)
      .catch(() => null);
    const body = (await response?.json().catch(() => null)) as { code?: string } | null;
    const times = { invokedMs, returnedMs: performance.now() };
    this.recorder.keyUses.push({ key, ...times, status: response?.status ?? 0, code: body?.code ?? null });
  }
}
