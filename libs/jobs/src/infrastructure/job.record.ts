import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/**
 * - `waiting`: may run now
 * - `delayed`: may run later, such as after an attempt that failed
 * - `running`: a worker has it, until its lease ends
 * - `done`, `failed`, `cancelled`: ended
 */
export const JOB_STATES = ['waiting', 'delayed', 'running', 'done', 'failed', 'cancelled'] as const;

/** In place of a number: the attempts that the kind allows. The worker that claims the job sets the number. */
export const AS_ITS_KIND = -1;

export type JobState = (typeof JOB_STATES)[number];

/** A row of `jobs`. */
@Entity({ name: 'jobs' })
export class JobRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  /** The name of the class that runs it. */
  @Column({ type: 'text' })
  kind: string;

  /** What it is about, such as an account; `-` for nothing in particular. */
  @Column({ type: 'text', collation: 'C' })
  subject: string;

  /** JSON. */
  @Column({ type: 'text' })
  payload: string;

  @Column({ type: 'text' })
  state: JobState;

  /** When something is to happen next: since when it may run, from when on it may, or when its lease ends. */
  @Column({ type: 'bigint', name: 'due_at', transformer: AS_NUMBER })
  dueAtMs: number;

  /** How many attempts have started. The number identifies the lease of a worker. */
  @Column({ type: 'integer', name: 'tries' })
  attempts: number;

  /** How many attempts are left; AS_ITS_KIND after a retry, until the next attempt. */
  @Column({ type: 'integer', name: 'tries_left' })
  attemptsLeft: number;

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  @Column({ type: 'bigint', name: 'ended_at', nullable: true, transformer: AS_NUMBER })
  endedAtMs: number | null;

  /** Why the last attempt that failed did so. */
  @Column({ type: 'text', nullable: true })
  problem: string | null;

  /** The subject, of a kind of which a subject has one open job; null of others. */
  @Column({ type: 'text', name: 'open_subject', nullable: true, collation: 'C' })
  openSubject: string | null;

  /** When it is to run again, as it was added again while it runs. */
  @Column({ type: 'bigint', name: 'again_at', nullable: true, transformer: AS_NUMBER })
  againAtMs: number | null;
}
