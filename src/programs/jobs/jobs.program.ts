import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { JOB_STATES, JobAdmin, JobsModule, jobsTables } from '@animal-store/jobs';
import { parseInt64, UnitOfWork } from '@animal-store/kernel';
import { runProgram } from '../run-program.js';
import { commandLine, type Surroundings } from '../use-cases.js';
import { jobListText, jobResponse, type JobResponse, jobText } from './job-text.js';

const JOBS_SHOWN = 50;
/** The payload of each has up to 64 KiB. */
const MAX_SHOWN = 1_000;

/**
 * Runs the `jobs` command line once and returns its exit code: 0 for success; 1 for failure (no such job, one that
 * cannot be changed, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export function runJobs(args: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(jobsProgram(surroundings), args, surroundings.complain);
}

/** The commands, their arguments and what they print. */
function jobsProgram(surroundings: Surroundings): Command {
  const description = 'Shows and changes the jobs of the animal store.';
  const jobs = { program: 'jobs', module: JobsModule, tables: jobsTables, table: 'jobs' };
  const { program, run } = commandLine({ ...jobs, description }, surroundings);

  /** Changes all of the jobs, or none when one of them cannot be changed. */
  function change(verb: 'retry' | 'cancel', ids: readonly bigint[]): Promise<void> {
    return run<JobResponse | JobResponse[]>(
      (useCases) =>
        useCases.get(UnitOfWork).run(async (transaction) => {
          const changed: JobResponse[] = [];
          for (const id of ids)
            changed.push(jobResponse(await useCases.get(JobAdmin)[verb](id, transaction)));
          return changed.length === 1 ? changed[0]! : changed;
        }),
      (changed) => (Array.isArray(changed) ? jobListText(changed) : jobText(changed)),
    );
  }

  program
    .command('list')
    .description('list the jobs that were added last, the newest first')
    .option('--kind <kind>', 'only jobs of this kind, such as orders.expire')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
    .option('--limit <n>', `how many, up to ${MAX_SHOWN}`, parseLimit, JOBS_SHOWN)
    .action((filter: Parameters<JobAdmin['list']>[0]) =>
      run(async (useCases) => (await useCases.get(JobAdmin).list(filter)).map(jobResponse), jobListText),
    );

  program
    .command('show')
    .description('show a job, with its payload')
    .addArgument(new Argument('<id>', 'the id of the job').argParser(parseId))
    .action((id: bigint) =>
      run(async (useCases) => jobResponse(await useCases.get(JobAdmin).find(id)), jobText),
    );

  program
    .command('retry')
    .description('run jobs now that are delayed, have failed or were cancelled')
    .addArgument(ids())
    .action((jobs: bigint[]) => change('retry', jobs));

  program
    .command('cancel')
    .description('do not run jobs any more')
    .addArgument(ids())
    .action((jobs: bigint[]) => change('cancel', jobs));

  return program;
}

function ids(): Argument {
  const parsed = (text: string, others: bigint[] = []) => [...others, parseId(text)];
  return new Argument('<ids...>', 'the ids of the jobs: all are changed, or none').argParser(parsed);
}

function parseId(text: string): bigint {
  const parsed = parseInt64(text);
  if (parsed === null || parsed < 1n) throw new InvalidArgumentError('It must be the id of a job.');
  return parsed;
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > MAX_SHOWN)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_SHOWN}.`);
  return Number(text);
}
