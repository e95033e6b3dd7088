import { Injectable } from '@nestjs/common';
import { Database, type RecordNames } from '@animal-store/database';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import { JobClaims } from './job-claims.js';
import { valuesOf, namesOf, nowOf } from './job-sql.js';
import { AS_ITS_KIND, JobRecord, type JobState } from './job.record.js';
import { payloadText } from './payload.js';
import { ScheduleRecord } from './schedule.record.js';

export interface NewJob {
  readonly kind: string;
  /** What it is about, such as an account. Default: nothing in particular, as for an empty text. */
  readonly subject?: string;
  readonly payload: unknown;
  readonly delayMs?: number;
}

/** The result of an attempt. */
export type Outcome = Pick<JobRecord, 'id' | 'attempts' | (typeof OUTCOME)[number]>;

const OUTCOME = ['state', 'dueAtMs', 'attemptsLeft', 'endedAtMs', 'problem'] as const;

/** What there is of a kind: since when the oldest one waits, and when the next delayed and running ones are due. */
export interface Backlog {
  readonly kind: string;
  readonly waiting: bigint | null;
  readonly delayed: bigint | null;
  readonly running: bigint | null;
  /** By the clock of the database; null on SQLite, which has none but that of the machine. */
  readonly nowMs: bigint | null;
}

/** The jobs of a kind in a state; at most MAX_COUNTED, as counting reads them all. */
export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: bigint;
}

export const MAX_COUNTED = 10_000;
/** The maximum of characters, because PostgreSQL bounds the entries of the index of subjects. */
const MAX_SUBJECT = 255;
/** A century. */
const MAX_WAIT_MS = 36_525 * DAY_MS;

export interface JobFilter {
  readonly kind?: string;
  readonly state?: JobState;
  readonly limit: number;
}

/** Jobs and schedules in SQLite or PostgreSQL. */
@Injectable()
export class JobStore {
  readonly claims: JobClaims;
  /** Uses the background connection: reads without a transaction must not queue after requests. */
  readonly database: Database;
  private readonly statements: ReturnType<typeof jobStatements>;

  constructor({ background }: Database) {
    this.database = background;
    this.statements = jobStatements(background);
    this.claims = new JobClaims(background);
  }

  /**
   * Stores the job. On PostgreSQL it is sent with the commit.
   * @throws RangeError when its payload or its subject is too long, or its delay has no end
   */
  async add(job: NewJob, attemptsLeft: number, nowMs: number, transaction: Transaction): Promise<void> {
    await this.statements.insert.execute(rowOf(job, attemptsLeft, nowMs), transaction);
  }

  /**
   * Stores jobs of a kind of which a subject has one open job. When a subject has one, that runs earlier, or again if
   * it runs. The jobs have one kind and one delay.
   * @throws RangeError as `add`
   */
  async addOnce(
    jobs: readonly NewJob[],
    attemptsLeft: number,
    nowMs: number,
    transaction: Transaction,
  ): Promise<void> {
    // Sorted, so that two transactions that add the same jobs cannot deadlock.
    const inOrder = jobs.toSorted((a, b) => ((a.subject ?? '') < (b.subject ?? '') ? -1 : 1));
    const rows = inOrder.map((job) => rowOf(job, attemptsLeft, nowMs));
    const [{ kind, state, dueAtMs }] = rows as [JobRecord];
    const subjects = rows.map(({ subject }) => subject);
    const payloads = rows.map(({ payload }) => payload);
    const times = { due: BigInt(dueAtMs), now: BigInt(nowMs), attemptsLeft };
    await this.statements.insertOnce.execute({ kind, state, subjects, payloads, ...times }, transaction);
  }

  /** The open job of a subject, of a kind of which it has one. */
  openOf(kind: string, openSubject: string, within: Transaction): Promise<Pick<JobRecord, 'id'> | null> {
    return this.statements.open.getOne({ kind, openSubject }, within);
  }

  backlogs(kinds: readonly string[], within?: Transaction): Promise<readonly Backlog[]> {
    return this.statements.backlogs.getMany({ kinds }, within);
  }

  /**
   * Stores the results of jobs. A job whose lease has been lost belongs to other workers.
   * @param reopened those that run again if they were added again meanwhile
   */
  end(outcomes: readonly Outcome[], reopened: readonly bigint[] = []): Promise<void> {
    return this.database.run(async (transaction) => {
      for (const outcome of outcomes) await this.statements.end.execute(outcome, transaction);
      // The rows are locked, so none of them is added again meanwhile.
      if (reopened.length > 0) await this.statements.reopen.execute({ ids: reopened }, transaction);
    });
  }

  /** Stores a locked job as an operator has changed it. */
  save(job: JobRecord, transaction: Transaction): Promise<void> {
    return this.statements.save.execute(job, transaction);
  }

  /** Locks the schedule until the transaction ends, also when there is no row yet. */
  async lockedSchedule(kind: string, transaction: Transaction): Promise<ScheduleRecord | null> {
    await this.statements.lockTurn(transaction);
    return this.database.entityManager(transaction).findOneBy(ScheduleRecord, { kind });
  }

  async saveSchedule(schedule: ScheduleRecord, transaction: Transaction): Promise<void> {
    await this.database.entityManager(transaction).upsert(ScheduleRecord, schedule, ['kind']);
  }

  /** The kinds of the jobs that have not ended or have failed, with and without a class that runs them. */
  async kinds(within?: Transaction): Promise<string[]> {
    const found = await this.statements.kinds.getMany({ after: '' }, within);
    return [...new Set(found.map(({ kind }) => kind))];
  }

  counts(kinds: readonly string[]): Promise<readonly JobCount[]> {
    return this.statements.counts.getMany({ kinds });
  }

  /** The last ones that were added, the newest first. */
  list({ kind = '', state, limit }: JobFilter): Promise<readonly Readonly<JobRecord>[]> {
    return this.statements.list.getMany({ kind, state: state ?? '', limit });
  }

  find(id: bigint, within?: Transaction): Promise<Readonly<JobRecord> | null> {
    return within ? this.statements.locked.getOne({ id }, within) : this.statements.find.getOne({ id });
  }
}

function rowOf(job: NewJob, attemptsLeft: number, nowMs: number): JobRecord {
  const { kind, delayMs = 0 } = job;
  const subject = job.subject || '-';
  if (subject.length > MAX_SUBJECT)
    throw new RangeError(`The subject of a job has at most ${MAX_SUBJECT} characters.`);
  const payload = payloadText(job.payload);
  const waitMs = wholeMs(Math.max(0, delayMs));
  const state = waitMs > 0 ? 'delayed' : 'waiting';
  const times = { dueAtMs: nowMs + waitMs, createdAtMs: nowMs };
  return {
    kind,
    subject,
    openSubject: subject,
    payload,
    state,
    ...times,
    attempts: 0,
    attemptsLeft,
  } as JobRecord;
}

/** @throws RangeError for what cannot be stored: it would delay storing the results of other jobs */
export function wholeMs(ms: number): number {
  if (ms >= 0 && ms <= MAX_WAIT_MS) return Math.ceil(ms);
  throw new RangeError(`A job cannot wait for ${ms} ms.`);
}

function jobStatements(database: Database) {
  const jobs = database.statements(JobRecord, 'job');
  const counted = jobs.except(`It counts at most ${MAX_COUNTED} of each.`);
  const unindexed = jobs.except('Only the command line reads it, on a connection of its own.');
  return {
    insert: jobs.insertWithId([
      'kind',
      'subject',
      'payload',
      'state',
      'dueAtMs',
      'createdAtMs',
      'attempts',
      'attemptsLeft',
    ]),
    insertOnce: jobs.write<Once>((names) => insertOnceSql(names, database)),
    /** SQL text, because the query builder cannot set a column to another one. */
    reopen: jobs.write<{ ids: readonly bigint[] }>(({ table, columns: c }) => {
      const isEarlier = `${c.state} = 'delayed' AND ${c.dueAtMs} < ${c.againAtMs}`;
      return `UPDATE ${table} SET ${c.state} = CASE WHEN ${c.state} = 'waiting' THEN 'waiting' ELSE 'delayed' END,
        ${c.dueAtMs} = CASE WHEN ${isEarlier} THEN ${c.dueAtMs} ELSE ${c.againAtMs} END, ${c.againAtMs} = NULL,
        ${c.endedAtMs} = NULL, ${c.attemptsLeft} = CASE WHEN ${c.attemptsLeft} = 0 THEN ${AS_ITS_KIND} ELSE ${c.attemptsLeft} END
        WHERE ${c.id} IN (:...ids) AND ${c.againAtMs} IS NOT NULL AND ${c.state} <> 'running'`;
    }),
    open: jobs.select<Pick<JobRecord, 'kind'> & { openSubject: string }, Pick<JobRecord, 'id'>>((job) =>
      job
        .select('job.id')
        .where('job.kind = :kind AND job.openSubject = :openSubject AND job.endedAtMs IS NULL'),
    ),
    end: jobs.update(OUTCOME, { equal: ['id', 'attempts'], where: ({ state }) => `${state} = 'running'` }),
    save: jobs.update(OUTCOME, { equal: ['id'] }),
    /** SQL text, because the query builder has no lists as tables, nor clocks. */
    backlogs: jobs.sql<{ kinds: readonly string[] }, Backlog>((names) => {
      const { table, id, kind, state, due, ended } = namesOf(names);
      const next = (wanted: JobState) =>
        `(SELECT ${due} FROM ${table} WHERE ${kind} = given.value AND ${state} = '${wanted}' AND ${ended} IS NULL
          ORDER BY ${due}, ${id} LIMIT 1) AS ${wanted}`;
      return `SELECT given.value AS kind, ${next('waiting')}, ${next('delayed')}, ${next('running')}, ${nowOf(database)} AS "nowMs"
        FROM ${valuesOf(database, 'kinds')}`;
    }),
    kinds: jobs.sql<{ after: string }, { kind: string }>(({ table, columns: { kind, endedAtMs, state } }) => {
      const walk = (name: string, where: string) => {
        const next = (after: string) =>
          `(SELECT ${kind} FROM ${table} WHERE ${kind} > ${after} AND ${where} ORDER BY ${kind} LIMIT 1)`;
        return `${name}(kind) AS (SELECT ${next(':after')} UNION ALL SELECT ${next(`${name}.kind`)} FROM ${name} WHERE ${name}.kind IS NOT NULL)`;
      };
      return `WITH RECURSIVE ${walk('open_kinds', `${endedAtMs} IS NULL`)}, ${walk('failed_kinds', `${state} = 'failed'`)}
        SELECT kind FROM open_kinds WHERE kind IS NOT NULL UNION ALL SELECT kind FROM failed_kinds WHERE kind IS NOT NULL`;
    }),
    counts: counted.sql<{ kinds: readonly string[] }, JobCount>((names) => {
      const { table, kind, state, ended } = namesOf(names);
      const count = (wanted: JobState, isOpen: boolean) =>
        `SELECT given.value AS kind, '${wanted}' AS state, (SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE ${kind} = given.value
          AND ${state} = '${wanted}' ${isOpen ? `AND ${ended} IS NULL` : ''} LIMIT ${MAX_COUNTED}) AS counted) AS count
          FROM ${valuesOf(database, 'kinds')}`;
      const open = (['waiting', 'delayed', 'running'] as const).map((wanted) => count(wanted, true));
      return [...open, count('failed', false)].join(' UNION ALL ');
    }),
    list: unindexed.select<{ kind: string; state: string; limit: number }>(
      (job) =>
        job
          .where("(:kind = '' OR job.kind = :kind) AND (:state = '' OR job.state = :state)")
          .orderBy('job.id', 'DESC'),
      { limit: 'limit' },
    ),
    find: jobs.find({ equal: ['id'] }),
    locked: jobs.find({ equal: ['id'], lock: true }),
    lockTurn: database.statements(ScheduleRecord, 'schedule').turn(),
  };
}

interface Once {
  readonly kind: string;
  readonly state: JobState;
  readonly subjects: readonly string[];
  readonly payloads: readonly string[];
  readonly due: bigint;
  readonly now: bigint;
  readonly attemptsLeft: number;
}

/** SQL text, because the query builder has no lists as tables, and changes no row that it cannot insert. */
function insertOnceSql({ table, columns: c }: RecordNames<JobRecord>, { dialect }: Database): string {
  const given =
    dialect === 'postgres'
      ? 'unnest(CAST(:subjects AS text[]), CAST(:payloads AS text[])) AS given(subject, payload)'
      : `(SELECT value AS subject, json_extract(:payloads, '$[' || key || ']') AS payload
          FROM json_each(:subjects)) AS given`;
  const [state, due, again] = [`${table}.${c.state}`, `${table}.${c.dueAtMs}`, `${table}.${c.againAtMs}`];
  const added = { state: `excluded.${c.state}`, due: `excluded.${c.dueAtMs}` };
  const isDelayed = `${state} = 'delayed'`;
  return `INSERT INTO ${table} (${c.kind}, ${c.subject}, ${c.openSubject}, ${c.payload}, ${c.state}, ${c.dueAtMs},
    ${c.createdAtMs}, ${c.attempts}, ${c.attemptsLeft})
    SELECT CAST(:kind AS text), given.subject, given.subject, given.payload, CAST(:state AS text), CAST(:due AS bigint),
    CAST(:now AS bigint), 0, CAST(:attemptsLeft AS integer) FROM ${given} WHERE TRUE
    ON CONFLICT (${c.kind}, ${c.openSubject}) WHERE ${c.endedAtMs} IS NULL DO UPDATE SET
    ${c.state} = CASE WHEN ${isDelayed} THEN ${added.state} ELSE ${state} END,
    ${c.dueAtMs} = CASE WHEN ${isDelayed} THEN ${added.due} ELSE ${due} END,
    ${c.againAtMs} = CASE WHEN ${isDelayed} THEN NULL ELSE ${added.due} END
    WHERE (${isDelayed} AND ${added.due} < ${due})
    OR (${state} = 'running' AND (${again} IS NULL OR ${added.due} < ${again}))`;
}
