import type { TestingModule } from '@nestjs/testing';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { type DomainEvent, Outbox } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { Job, JobAdmin, type JobHandler, JobOutbox, jobsTables, JobWorker, type RunAgain } from './index.js';
import type { EventJob } from './job.decorator.js';
import { startJobs } from './testing/start-jobs.js';

interface Called extends DomainEvent {
  readonly to: readonly string[];
  readonly delayMs?: number;
}

let log: string[];
let during: (to: string) => Promise<void | RunAgain> | void | RunAgain;

@Job('visits.call', { on: ['visit.called'], subjects: 'one job', attempts: 2, backOffMs: () => 1_000 })
class CallVisitor implements JobHandler<string> {
  async run(to: string): Promise<void | RunAgain> {
    log.push(to);
    return during(to);
  }

  jobsFor(event: DomainEvent): readonly EventJob<string>[] {
    const { to, delayMs } = event as Called;
    return to.map((payload) => ({ payload, subject: payload, delayMs }));
  }
}

describe.each(databases)('A kind of which a subject has one open job, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, jobsTables);
  let clock: FakeClock;
  let app: TestingModule;

  beforeEach(async () => {
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    log = [];
    during = () => undefined;
    app = await startJobs(temporary.database, clock, [CallVisitor]);
  });

  const call = (to: readonly string[], delayMs?: number) =>
    temporary.database.run((transaction) =>
      app.get(Outbox).add({ name: 'visit.called', to, delayMs } as Called, transaction),
    );
  const runDue = () => app.get(JobWorker).runDue();
  const jobs = async () =>
    (await app.get(JobAdmin).list({ limit: 100 })).map(({ subject, state }) => `${subject} ${state}`).sort();

  it('has one job of each subject, however often they are added', async () => {
    await call(['Ada', 'Łucja']);
    await call(['Łucja', 'Ada', 'Max']);
    await Promise.all(Array.from({ length: 10 }, () => call(['Ada', 'Max'])));

    expect(await jobs()).toEqual(['Ada waiting', 'Max waiting', 'Łucja waiting']);
    await runDue();
    expect(log.toSorted()).toEqual(['Ada', 'Max', 'Łucja']);
    await call(['Ada']);
    await runDue();
    expect(log).toHaveLength(4);
  });

  it('runs a delayed one earlier, and never later', async () => {
    await call(['Ada'], 60_000);
    await call(['Ada'], 90_000);
    await call(['Ada'], 30_000);
    clock.advance(29_999);
    await runDue();
    expect(log).toEqual([]);
    clock.advance(1);
    await runDue();
    expect(log).toEqual(['Ada']);

    await call(['Ada'], 60_000);
    await call(['Ada']);
    await runDue();
    expect(log).toEqual(['Ada', 'Ada']);
    expect(await jobs()).toEqual(['Ada done', 'Ada done']);
  });

  it('runs one again that was added while it ran, once, and when it is due', async () => {
    during = async () => {
      during = () => undefined;
      await call(['Ada'], 60_000);
      await call(['Ada'], 5_000);
      await call(['Ada'], 90_000);
    };
    await call(['Ada']);
    await runDue();
    expect(await jobs()).toEqual(['Ada delayed']);
    clock.advance(5_000);
    await runDue();

    expect(log).toEqual(['Ada', 'Ada']);
    expect(await jobs()).toEqual(['Ada done']);
  });

  it('runs one again that was added while it ran for the last time and failed', async () => {
    during = async () => {
      await call(['Ada']);
      throw new Error('planted');
    };
    await call(['Ada']);
    for (let count = 0; count < 2; count++) {
      await runDueOnce();
      clock.advance(2_000);
    }
    during = () => undefined;
    await runDue();

    expect(log.at(-1)).toBe('Ada');
    expect(await jobs()).toEqual(['Ada done']);
  });

  /** Without what that causes. */
  async function runDueOnce(): Promise<void> {
    await app.get(JobWorker)['step']();
    await app.get(JobWorker)['runs'].allEnded();
  }

  it('has the earlier of two times when it is to run again anyway', async () => {
    during = async () => {
      during = () => undefined;
      await call(['Ada'], 60_000);
      return { inMs: 2_000 };
    };
    await call(['Ada']);
    await runDue();
    clock.advance(2_000);
    await runDue();

    expect(log).toEqual(['Ada', 'Ada']);
  });

  it('retries no job whose subject has another one', async () => {
    during = () => {
      throw new Error('planted');
    };
    await call(['Ada']);
    await runDue();
    clock.advance(2_000);
    await runDue();
    const [failed] = await app.get(JobAdmin).list({ limit: 1 });
    expect(failed!.state).toBe('failed');
    await call(['Ada'], 1_000);

    await expect(app.get(JobAdmin).retry(failed!.id)).rejects.toThrow('cannot be retried');
  });

  it('gives a recorder every event in its transaction, also one that it does not store', async () => {
    const recorded: unknown[] = [];
    const recorder: Parameters<JobOutbox['recordWith']>[0] = {
      wants: () => false,
      record: (event, transaction) => {
        recorded.push([event.name, transaction !== undefined]);
        return event.name === 'visit.ended' ? Promise.resolve() : undefined;
      },
    };
    app.get(JobOutbox).recordWith(recorder);
    await call(['Ada']);
    const add = (name: string) =>
      temporary.database.run((transaction) => app.get(Outbox).add({ name }, transaction));
    await add('visit.ended');
    await add('visit.begun');

    const names = ['visit.called', 'visit.ended', 'visit.begun'];
    expect(recorded).toEqual(names.map((name) => [name, true]));
  });
});
