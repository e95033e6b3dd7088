import {
  doubledRuns,
  jobAnomalies,
  type JobHistory,
  type Journal,
  type Line,
  type StoredJob,
} from './check.js';

const added = (atMs: number, ...ids: string[]): Line => ({ what: 'added', atMs, ids });
const rolledBack = (atMs: number, ...ids: string[]): Line => ({ what: 'rolled back', atMs, ids });

/** A run of a job; without its end it was killed. */
function ran(
  id: string,
  [fromMs, toMs]: readonly [number, number?],
  how: 'done' | 'failed' | 'aborted' = 'done',
) {
  const begun: Line = { what: 'begun', atMs: fromMs, kind: 'turn', id };
  const ended: Line[] = toMs === undefined ? [] : [{ what: 'ended', atMs: toMs, kind: 'turn', id, how }];
  return [begun, ...ended];
}

function journal(process: string, ...lines: (Line | Line[])[]): Journal {
  const all = lines.flat().sort((one, other) => one.atMs - other.atMs);
  return { process, lines: all, endedMs: all.at(-1)!.atMs };
}

const job = (task: string | null, state = 'done', createdAtMs = 1_000): StoredJob => ({
  kind: task === null ? 'tick' : 'turn',
  task,
  state,
  createdAtMs,
});

function history(journals: Journal[], more: Partial<JobHistory> = {}): JobHistory {
  const jobs = [job('a'), job('b'), job(null)];
  return { journals, causes: ['a', 'b'], jobs, settleMs: 100, graceMs: 1_000, ...more };
}

/** What is right: a is added before b, and done before b begins. */
const right = [added(1, 'a'), added(2, 'b'), ran('a', [10, 20]), ran('b', [30, 40])] as const;

describe('The check of jobs', () => {
  it('finds nothing in what is right, also when a job runs again', () => {
    const again = [
      added(1, 'a'),
      added(2, 'b'),
      ran('a', [10, 15], 'failed'),
      ran('a', [16, 20]),
      ran('b', [30, 40]),
    ];

    expect(jobAnomalies(history([journal('one', ...right)]))).toEqual([]);
    expect(jobAnomalies(history([journal('one', ...again, rolledBack(50, 'c'))]))).toEqual([]);
    const twice = history([journal('one', ...right), journal('two', ran('b', [50, 60]))]);
    expect(jobAnomalies(twice)).toEqual([]);
    expect(doubledRuns(twice)).toBe(1);
  });

  it.each<[string, JobHistory, string]>([
    [
      'a cause that is lost',
      history([journal('one', ...right, added(50, 'c'))]),
      'c was acknowledged, and its cause is lost',
    ],
    [
      'a job that is lost',
      history([journal('one', ...right)], { jobs: [job('a'), job(null)] }),
      'b has a cause and no job',
    ],
    [
      'a job that never ends',
      history([journal('one', ...right)], { jobs: [job('a'), job('b', 'running'), job(null)] }),
      'turn b is running in the end',
    ],
    [
      'a job that nobody has done',
      history([journal('one', added(1, 'a', 'b'), ran('a', [10, 20]), ran('b', [30, 40], 'failed'))]),
      'turn b is done, and nobody has done it',
    ],
    [
      'a job of a rollback',
      history([journal('one', ...right, rolledBack(50, 'c'))], {
        jobs: [job('a'), job('b'), job('c'), job(null)],
      }),
      'there is a job c without a cause',
    ],
    [
      'a run of a rollback',
      history([journal('one', ...right, rolledBack(45, 'c'), ran('c', [50, 60]))]),
      'turn c has run without a cause',
    ],
    [
      'a cause that was rolled back, and is there',
      history([journal('one', ...right, rolledBack(50, 'a'))]),
      'a was rolled back, and is stored',
    ],
    [
      'a job that two workers run at once',
      history([
        journal('one', added(1, 'b'), ran('a', [10, 20]), ran('b', [30, 60])),
        journal('two', ran('b', [50, 70])),
      ]),
      'b ran twice at once: from 30 to 60 ms in one, done, and from 50 to 70 ms in two, done',
    ],
    [
      'a job that a shutdown does not wait for',
      history([journal('one', ...right, ran('a', [50, 200], 'aborted'), { what: 'stopping', atMs: 100 })]),
      'turn a was aborted within the grace period: 50 to 200 ms in one, aborted',
    ],
    [
      'a job that begins in a shutdown',
      history([journal('one', { what: 'stopping', atMs: 5 }, ...right, ran('a', [150, 160]))]),
      'turn a was begun in a shutdown: 150 to 160 ms in one, done',
    ],
    [
      'a schedule that comes twice',
      history([journal('one', ...right)], {
        jobs: [job('a'), job('b'), job(null, 'done', 1_001), job(null)],
      }),
      'the second 1970-01-01T00:00:01.000Z came twice',
    ],
    [
      'a schedule that never comes',
      history([journal('one', ...right)], { jobs: [job('a'), job('b')] }),
      'the schedule never came',
    ],
  ])('finds %s', (_, found, finding) => {
    expect(jobAnomalies(found)).toContain(finding);
  });

  it('excuses a process that could not know that it had lost a job, and no other', () => {
    const paused = (...gap: Line[]) => {
      const one = journal('one', added(1, 'a'), ran('a', [10, 20]), ran('b', [30, 8_050], 'aborted'), gap);
      return jobAnomalies(history([one, journal('two', ran('b', [6_000, 6_010]))]));
    };

    expect(paused({ what: 'gap', fromMs: 40, atMs: 8_000 })).toEqual([]);
    expect(paused({ what: 'gap', fromMs: 40, atMs: 5_000 })).toHaveLength(1);
    expect(paused({ what: 'gap', fromMs: 40, atMs: 7_900 })).toHaveLength(1);
    expect(paused()).toHaveLength(1);
  });

  it('excuses an abort in a shutdown of a process that was stopped for long before', () => {
    const aborted = (fromMs: number) =>
      journal(
        'one',
        ...right,
        { what: 'begun', atMs: 50, kind: 'turn', id: 'a' },
        { what: 'gap', fromMs, atMs: 190 },
        { what: 'stopping', atMs: 195 },
        { what: 'ended', atMs: 200, kind: 'turn', id: 'a', how: 'aborted' },
      );

    expect(jobAnomalies(history([aborted(60)]))).toEqual([]);
    expect(jobAnomalies(history([aborted(150)]))).toHaveLength(1);
  });

  it('takes the job of a process that was killed as ended', () => {
    const killed = journal('one', added(1, 'a'), ran('a', [10, 20]), ran('b', [30]));

    expect(jobAnomalies(history([killed, journal('two', ran('b', [6_000, 6_010]))]))).toEqual([]);
  });
});
