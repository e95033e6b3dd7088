const Signal = Object as unknown as abstract new () => AbortSignal;

/**
 * Injectable: an `AbortSignal` that fires when the service stops accepting connections, before running requests have
 * their grace period. Streams and background loops end then. The shutdown
 * hooks run when all requests are done, which is too late for that.
 *
 * @example
 * ```ts
 * constructor(private readonly shutdown: ShutdownSignal) {}
 *
 * for await (const change of changes({ signal: this.shutdown })) …
 * ```
 */
export abstract class ShutdownSignal extends Signal {}
