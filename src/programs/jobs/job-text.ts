import { type JobAdmin, payloadOf } from '@animal-store/jobs';
import { toJson } from '@animal-store/kernel';
import { type Column, textTable, timeText } from '../text-table.js';

/** What `--json` prints, and what every text for people is made from. Instants are RFC 3339 in UTC. */
export type JobResponse = ReturnType<typeof jobResponse>;

export function jobResponse(job: Awaited<ReturnType<JobAdmin['find']>>) {
  return {
    // Beyond 2^53 a number would be rounded.
    id: String(job.id),
    kind: job.kind,
    subject: job.subject,
    state: job.state,
    attempts: job.attempts,
    // After a retry the number is that of its kind, which only a server knows.
    attemptsLeft: job.attemptsLeft < 0 ? null : job.attemptsLeft,
    createdAt: instant(job.createdAtMs),
    dueAt: job.endedAtMs === null ? instant(job.dueAtMs) : null,
    endedAt: job.endedAtMs === null ? null : instant(job.endedAtMs),
    problem: job.problem,
    payload: payloadTextOf(job.payload),
  };
}

/** The payload as JSON, or as stored when it is not valid JSON. */
function payloadTextOf(stored: string): string {
  try {
    return toJson(payloadOf(stored));
  } catch (error) {
    if (error instanceof SyntaxError) return stored;
    throw error;
  }
}

const DUE = { waiting: 'may run since', delayed: 'runs from', running: 'lease ends' } as const;

/** A job for people. The payload is JSON, as it is stored. */
export function jobText(job: JobResponse): string {
  const { id, kind, subject, state, attempts, attemptsLeft, createdAt, dueAt, endedAt, problem, payload } =
    job;
  const facts = {
    kind,
    subject,
    state,
    attempts: `${attempts}, and ${attemptsLeft ?? 'as many as its kind has'} left`,
    created: createdAt,
    [DUE[state as keyof typeof DUE] ?? 'due']: dueAt,
    ended: endedAt,
    problem,
    payload,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return [`Job ${id}`, ...known.map(([label, value]) => `  ${label.padEnd(15)}${value}`)].join('\n');
}

const COLUMNS: readonly Column<JobResponse>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'KIND', of: ({ kind }) => kind, canShrink: true },
  { title: 'SUBJECT', of: ({ subject }) => subject, canShrink: true },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'ATTEMPTS', of: ({ attempts }) => String(attempts) },
  { title: 'CREATED', of: ({ createdAt }) => timeText(createdAt) },
  { title: 'PROBLEM', of: ({ problem }) => problem ?? '-', canShrink: true },
];

export function jobListText(jobs: readonly JobResponse[]): string {
  return jobs.length === 0 ? 'There are no such jobs.' : textTable(COLUMNS, jobs);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
