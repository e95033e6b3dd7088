/** The state of an object. Equal states have equal keys. */
export interface State {
  readonly key: string;
}

/** An operation on one object, which takes effect at one moment between its request and its response. */
export interface Step<S extends State> {
  readonly invokedMs: number;
  /** Infinity when it may take effect at any later time, or never. */
  readonly returnedMs: number;
  readonly isRead: boolean;
  /** The state after it, which is the same for a read; null when it cannot have taken effect in this state. */
  apply(state: S): S | null;
}

/** One way in which the operations so far may have taken effect. */
interface Configuration<S extends State> {
  readonly state: S;
  /** Of the running operations, those that have taken effect. */
  readonly done: Set<Step<S>>;
}

/**
 * Finds out whether the operations could have taken effect one after another, each between its request and its response
 * (linearizability). Returns null when they could, and otherwise operations that contradict one another: all writes,
 * and as few reads as possible.
 *
 * It goes through the requests and responses in the order of time with every possible configuration, and lets a write
 * take effect only when a response needs it (G. Lowe, "Testing for linearizability", 2017). A read has no effect, so it
 * takes effect as soon as it fits.
 */
export function contradiction<S extends State, T extends Step<S>>(start: S, steps: readonly T[]): T[] | null {
  const impossible = firstImpossible(start, steps);
  if (!impossible) return null;
  // What was requested after the response that cannot be explained does not matter.
  let needed = steps.filter(({ invokedMs }) => invokedMs <= impossible.returnedMs);
  for (let size = needed.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < needed.length;) {
      const without = needed.filter((step, index) => !step.isRead || index < from || index >= from + size);
      const isSmaller = without.length < needed.length;
      if (isSmaller && firstImpossible(start, without)) needed = without;
      else from += size;
    }
  }
  return needed.sort((one, other) => one.invokedMs - other.invokedMs);
}

/** The first operation whose response no configuration explains, or null. */
function firstImpossible<S extends State>(start: S, steps: readonly Step<S>[]): Step<S> | null {
  let configurations: Configuration<S>[] = [{ state: start, done: new Set() }];
  const running = new Set<Step<S>>();
  for (const { step, isResponse } of inOrderOfTime(steps)) {
    if (!isResponse) {
      running.add(step);
      if (step.isRead) for (const { state, done } of configurations) if (step.apply(state)) done.add(step);
      continue;
    }
    configurations = withEffectOf(step, configurations, running);
    if (configurations.length === 0) return step;
    running.delete(step);
    for (const { done } of configurations) done.delete(step);
    if (configurations.length > 1) configurations = distinct(configurations, [...running]);
  }
  return null;
}

/** At the same time requests come first: then the operations were concurrent. */
function inOrderOfTime<S extends State>(steps: readonly Step<S>[]) {
  return steps
    .flatMap((step) => [
      { atMs: step.invokedMs, step, isResponse: false },
      { atMs: step.returnedMs, step, isResponse: true },
    ])
    .filter(({ atMs }) => atMs !== Infinity)
    .sort((one, other) => one.atMs - other.atMs || Number(one.isResponse) - Number(other.isResponse));
}

/** The configurations in which `step` has taken effect, after as many of the running writes as that needs. */
function withEffectOf<S extends State>(
  step: Step<S>,
  configurations: Configuration<S>[],
  running: ReadonlySet<Step<S>>,
): Configuration<S>[] {
  if (configurations.every(({ done }) => done.has(step))) return configurations;
  const numbered = [...running];
  const found: Configuration<S>[] = [];
  const seen = new Set<string>();
  const left = [...configurations];
  for (const configuration of left) {
    if (configuration.done.has(step)) {
      found.push(configuration);
      continue;
    }
    for (const write of numbered) {
      if (write.isRead || configuration.done.has(write)) continue;
      const state = write.apply(configuration.state);
      if (!state) continue;
      const done = new Set(configuration.done).add(write);
      for (const read of numbered) if (read.isRead && read.apply(state)) done.add(read);
      const key = keyOf({ state, done }, numbered);
      if (!seen.has(key)) left.push({ state, done });
      seen.add(key);
    }
  }
  return found;
}

function distinct<S extends State>(
  configurations: readonly Configuration<S>[],
  running: readonly Step<S>[],
): Configuration<S>[] {
  return [...new Map(configurations.map((one) => [keyOf(one, running), one])).values()];
}

function keyOf<S extends State>({ state, done }: Configuration<S>, running: readonly Step<S>[]): string {
  return `${state.key} ${running.map((step) => (done.has(step) ? 1 : 0)).join('')}`;
}
