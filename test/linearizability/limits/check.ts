/** Requests of one account, more than its limit, at all replicas. */
export interface Burst {
  readonly invokedMs: number;
  readonly returnedMs: number;
  /** That counts the account. */
  readonly node: string;
  readonly statuses: readonly number[];
}

/** From the fault until all is whole again. */
export interface Disturbance {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Only callers that it counts may notice. */
  readonly node: string;
}

export interface Rules {
  readonly perMinute: number;
  readonly replicas: number;
  readonly disturbances: readonly Disturbance[];
}

/**
 * Undisturbed, an account gets exactly its limit. When its node is lost, it may get it once more from each replica, and
 * once more from a replica of the node that had not all counts. It is never without a limit, and never refused
 * altogether.
 */
export function limitProblems(burst: Burst, rules: Rules): string[] {
  const { perMinute, replicas } = rules;
  const allowed = allowedIn(burst);
  const most = isDisturbed(burst, rules) ? perMinute * (2 + replicas) : perMinute;
  const when = `Between ${burst.invokedMs.toFixed(0)} and ${burst.returnedMs.toFixed(0)} ms an account of node "${burst.node}"`;
  const other = burst.statuses.filter((status) => status !== 200 && status !== 429);
  if (other.length > 0) return [`${when} got ${other.join(', ')}.`];
  if (allowed > most) return [`${when} got ${allowed} responses: at most ${most} are right.`];
  // A request that a node counted too late counts there and locally: it may cost its caller one.
  if (allowed < (isDisturbed(burst, rules) ? perMinute / 2 : perMinute))
    return [`${when} got only ${allowed} of ${perMinute} responses.`];
  return [];
}

/** How much accounts got beyond their limits. */
export function overLimit(bursts: readonly Burst[], rules: Rules): string {
  const disturbed = bursts.filter((burst) => isDisturbed(burst, rules));
  const over = disturbed.map((burst) => Math.max(0, allowedIn(burst) - rules.perMinute));
  const sum = over.reduce((before, one) => before + one, 0);
  const requests = disturbed.reduce((before, { statuses }) => before + statuses.length, 0);
  return (
    `${bursts.length} bursts, ${disturbed.length} of them while their node was lost: ${sum} of ${requests} requests over the limit ` +
    `of ${rules.perMinute}, at most ${Math.max(0, ...over)} of one account`
  );
}

function allowedIn({ statuses }: Burst): number {
  return statuses.filter((status) => status === 200).length;
}

function isDisturbed({ invokedMs, returnedMs, node }: Burst, { disturbances }: Rules): boolean {
  return disturbances.some(
    (one) => one.node === node && one.startedMs <= returnedMs && one.endedMs >= invokedMs,
  );
}
