import { slotOf } from './cluster-slots.js';
import type { RedisClusterClient, RedisNode } from './redis-client.js';

/** Far more than it takes to find a subject of a node, even if that has a single slot. */
const MAX_TRIES = 300_000;

/** Which primary of a Redis Cluster counts what, as far as the client knows. Nodes are named `host:port`. */
export class ClusterNodes {
  private readonly subjects = new Map<string, string>();
  private readonly errors = new Map<string, Error>();
  /** Whether all keys have one slot, because the prefix has braces. */
  private readonly isOneSlot: boolean;

  constructor(
    private readonly client: RedisClusterClient,
    private readonly keyOf: (subject: string) => string,
  ) {
    this.isOneSlot = this.slotOf('0') === this.slotOf('1');
  }

  /** Empty while it is unknown. */
  of(subject: string): string {
    return this.client.slots[this.slotOf(subject)]?.[0] ?? '';
  }

  /** All of them; the unknown one while there are none. */
  names(): readonly string[] {
    if (this.isOneSlot) return [this.of('0')];
    const names = new Set<string>();
    for (const slot of this.client.slots) if (slot?.[0]) names.add(slot[0]);
    return names.size === 0 ? [''] : [...names];
  }

  /** @throws Error when one of them is lost */
  all(): readonly RedisNode[] {
    return this.names().map((node) => {
      const connection = this.connectionOf(node);
      if (connection === undefined)
        throw this.errorOf(node) ?? new Error(`There is no connection to ${node}.`);
      return connection;
    });
  }

  connectionOf(node: string): RedisNode | undefined {
    return this.client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === node);
  }

  /** A subject that this node counts; null when it counts none any more. */
  subjectOn(node: string): string | null {
    const known = this.subjects.get(node);
    if (known !== undefined && this.of(known) === node) return known;
    for (const name of this.subjects.keys()) if (!this.names().includes(name)) this.subjects.delete(name);
    if (!this.names().includes(node)) return null;
    for (let index = 0; index < MAX_TRIES; index++) {
      const subject = `probe ${index}`;
      if (this.of(subject) !== node) continue;
      this.subjects.set(node, subject);
      return subject;
    }
    return null;
  }

  /** Why there is no connection to this node, as far as that is known. */
  errorOf(node: string): Error | undefined {
    return this.connectionOf(node)?.status === 'ready' ? undefined : this.errors.get(node);
  }

  /** The error of a node, if one sent any, in the error of a client that could not connect. */
  reasonIn({ lastNodeError }: Error & { lastNodeError?: Error }): Error | null {
    if (lastNodeError?.name === 'ReplyError') return lastNodeError;
    return lastNodeError
      ? new Error('No node of the cluster can be reached.', { cause: lastNodeError })
      : null;
  }

  failed(node: string, error: Error): void {
    this.errors.set(node, error);
  }

  responded(node: string): void {
    this.errors.delete(node);
  }

  /** Writes what `send` sends to each node at once. */
  together(send: () => void): void {
    const streams = this.client.nodes('master').flatMap(({ stream }) => stream ?? []);
    for (const stream of streams) stream.cork();
    try {
      send();
    } finally {
      for (const stream of streams) stream.uncork();
    }
  }

  private slotOf(subject: string): number {
    return slotOf(`${this.client.options.keyPrefix ?? ''}${this.keyOf(subject)}`);
  }
}
