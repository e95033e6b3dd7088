/** A remote store that responds and can never count, however long one waits: it is the wrong kind of server. */
export class UnusableStore extends Error {
  constructor(
    /** What the server is, such as `a node of a Redis Cluster`. */
    readonly kind: string,
    cause: unknown,
  ) {
    super(`The store is ${kind}, which cannot count.`, { cause });
    this.name = 'UnusableStore';
  }
}
