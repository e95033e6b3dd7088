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

/** A remote store that responds and cannot count this subject. Whether it counts others is another question. */
export class SubjectNotCounted extends Error {
  constructor(
    readonly subject: string,
    cause: Error,
  ) {
    super(`The store cannot count ${subject}: ${cause.message}`, { cause });
    this.name = 'SubjectNotCounted';
  }
}
