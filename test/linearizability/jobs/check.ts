/** What the journals of the workers say, in the order of its times. */
export interface Journal {
  readonly process: string;
  readonly lines: readonly Line[];
  /** The last that the process did. */
  readonly endedMs: number;
}

export type Line = { readonly atMs: number } & (
  | { readonly what: 'added'; readonly ids: readonly string[] }
  | { readonly what: 'rolled back'; readonly ids: readonly string[] }
  | { readonly what: 'begun'; readonly kind: string; readonly id: string }
  | { readonly what: 'ended'; readonly kind: string; readonly id: string; readonly how: How }
  /** It begins to shut down. */
  | { readonly what: 'stopping' }
  /** The process did nothing from then on. */
  | { readonly what: 'gap'; readonly fromMs: number }
);

type How = 'done' | 'failed' | 'aborted';

/** A row of the table of jobs, at the end. */
export interface StoredJob {
  readonly kind: string;
  /** That of its task; null for a schedule. */
  readonly task: string | null;
  readonly state: string;
  readonly createdAtMs: number;
}

export interface JobHistory {
  readonly journals: readonly Journal[];
  /** The ids of the causes that are stored. */
  readonly causes: readonly string[];
  readonly jobs: readonly StoredJob[];
  /** How long a job may go on after its signal. */
  readonly settleMs: number;
  /** How long a shutdown waits for jobs. */
  readonly graceMs: number;
}

interface Run {
  readonly id: string;
  readonly kind: string;
  readonly journal: Journal;
  readonly fromMs: number;
  readonly toMs: number;
  /** Null when its process has ended before it. */
  readonly how: How | null;
}

/** Of each kind, so that one does not hide another. */
const MAX_FINDINGS = 5;

/** What the history has that no correct queue of jobs does. */
export function jobAnomalies(history: JobHistory): string[] {
  const runs = runsOf(history.journals);
  const findings = [
    lost(history, runs),
    imagined(history, runs),
    atOnce(history, runs),
    hurried(history, runs),
    twiceATime(history),
  ];
  return findings.flatMap((kind) => [...kind].slice(0, MAX_FINDINGS));
}

/** How often jobs have run to their end more than once, which they may. */
export function doubledRuns({ journals }: JobHistory): number {
  const done = runsOf(journals).filter(({ how }) => how === 'done');
  return done.length - new Set(done.map(({ id }) => id)).size;
}

/** How many jobs were added in transactions that were rolled back. */
export function rolledBack({ journals }: JobHistory): number {
  const ids = journals.flatMap(({ lines }) =>
    lines.map((line) => (line.what === 'rolled back' ? line.ids.length : 0)),
  );
  return ids.reduce((sum, count) => sum + count, 0);
}

/** Every cause that is stored has a job that has run to its end; what was acknowledged is stored. */
function* lost({ journals, causes, jobs }: JobHistory, runs: readonly Run[]): Generator<string> {
  const stored = new Set(causes);
  const byTask = new Map(jobs.map((job) => [job.task, job]));
  const done = new Set(runs.flatMap(({ id, how }) => (how === 'done' ? [id] : [])));
  for (const { lines } of journals)
    for (const line of lines)
      if (line.what === 'added')
        for (const id of line.ids) if (!stored.has(id)) yield `${id} was acknowledged, and its cause is lost`;
  for (const id of causes) {
    const job = byTask.get(id);
    if (job === undefined) yield `${id} has a cause and no job`;
    else if (job.kind === 'fail' ? job.state !== 'failed' : job.state !== 'done')
      yield `${job.kind} ${id} is ${job.state} in the end`;
    else if (job.state === 'done' && !done.has(id)) yield `${job.kind} ${id} is done, and nobody has done it`;
  }
}

/** No job is there, or has run, whose cause was rolled back. */
function* imagined({ journals, causes, jobs }: JobHistory, runs: readonly Run[]): Generator<string> {
  const stored = new Set(causes);
  for (const { task } of jobs)
    if (task !== null && !stored.has(task)) yield `there is a job ${task} without a cause`;
  for (const { kind, id } of runs)
    if (kind !== 'tick' && !stored.has(id)) yield `${kind} ${id} has run without a cause`;
  for (const { lines } of journals)
    for (const line of lines)
      if (line.what === 'rolled back')
        for (const id of line.ids) if (stored.has(id)) yield `${id} was rolled back, and is stored`;
}

/** No job runs twice at the same time. */
function* atOnce({ settleMs }: JobHistory, runs: readonly Run[]): Generator<string> {
  for (const [what, group] of groups(runs)) {
    let latest = group[0]!;
    for (const run of group.slice(1)) {
      if (run.fromMs < latest.toMs && !isExcused(latest, run, settleMs))
        yield `${what} ran twice at once: from ${shown(latest)}, and from ${shown(run)}`;
      if (run.toMs > latest.toMs) latest = run;
    }
  }
}

/** A process that was stopped for so long lost its lease, and could not know it before it went on. */
function isExcused({ journal, toMs }: Run, { fromMs }: Run, settleMs: number): boolean {
  return journal.lines.some(
    (line) =>
      line.what === 'gap' && line.fromMs <= fromMs && fromMs < line.atMs && toMs <= line.atMs + settleMs,
  );
}

/** A worker that shuts down waits for its jobs, and begins no more. */
function* hurried({ journals, graceMs, settleMs }: JobHistory, runs: readonly Run[]): Generator<string> {
  for (const journal of journals) {
    const stopping = journal.lines.find(({ what }) => what === 'stopping');
    if (stopping === undefined) continue;
    for (const run of runs.filter((one) => one.journal === journal && one.toMs > stopping.atMs)) {
      // It may have lost its lease just before.
      const wasStopped = journal.lines.some(
        (line) =>
          line.what === 'gap' &&
          line.atMs - line.fromMs > settleMs &&
          line.fromMs < run.toMs &&
          line.atMs > run.fromMs,
      );
      const isAborted = run.how === 'aborted' && run.toMs < stopping.atMs + graceMs && !wasStopped;
      if (isAborted) yield `${run.kind} ${run.id} was aborted within the grace period: ${shown(run)}`;
      if (run.fromMs > stopping.atMs + settleMs)
        yield `${run.kind} ${run.id} was begun in a shutdown: ${shown(run)}`;
    }
  }
}

/** A schedule adds one job for each of its times, by the clock of the database. */
function* twiceATime({ jobs }: JobHistory): Generator<string> {
  const seconds = new Set<number>();
  for (const { kind, createdAtMs } of jobs) {
    if (kind !== 'tick') continue;
    const second = Math.floor(createdAtMs / 1_000);
    if (seconds.has(second)) yield `the second ${new Date(createdAtMs).toISOString()} came twice`;
    seconds.add(second);
  }
  if (seconds.size === 0) yield 'the schedule never came';
}

function runsOf(journals: readonly Journal[]): Run[] {
  const runs: Run[] = [];
  for (const journal of journals) {
    const open = new Map<string, Run>();
    for (const line of journal.lines) {
      if (line.what === 'begun') {
        const { id, kind, atMs: fromMs } = line;
        open.set(id, { id, kind, journal, fromMs, toMs: journal.endedMs, how: null });
      } else if (line.what === 'ended') {
        runs.push({ ...open.get(line.id)!, toMs: line.atMs, how: line.how });
        open.delete(line.id);
      }
    }
    runs.push(...open.values());
  }
  return runs.sort((one, other) => one.fromMs - other.fromMs);
}

function groups(runs: readonly Run[]): Map<string, Run[]> {
  const all = new Map<string, Run[]>();
  for (const run of runs) all.set(run.id, [...(all.get(run.id) ?? []), run]);
  return all;
}

function shown({ fromMs, toMs, journal, how }: Run): string {
  return `${fromMs.toFixed(0)} to ${toMs.toFixed(0)} ms in ${journal.process}, ${how ?? 'killed'}`;
}
