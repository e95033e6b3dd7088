import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { JOB_STATES, JobAdmin, type JobFilter } from '@animal-store/jobs';
import { parseInt64 } from '@animal-store/kernel';
import { terminalJson, terminalText } from '../command-line/run-program.js';
import type { UseCases, WithUseCases } from '../command-line/use-cases.js';
import { VERSION } from '../version.js';
import { jobListText, jobResponse, jobText } from './job-text.js';

const JOBS_SHOWN = 50;

export interface JobsProgramParts {
  readonly withUseCases: WithUseCases;
  readonly print: (text: string) => void;
}

/** The commands, their arguments and what they print. */
export function jobsProgram({ withUseCases, print }: JobsProgramParts): Command {
  const program = new Command('jobs')
    .description('Shows and changes the jobs of the animal store. Works while the server runs.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', 'print one JSON object (or array) and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .exitOverride();

  /** Runs a command over the open database and prints its response, as JSON or as a text for people. */
  function run<T>(command: (jobs: JobAdmin) => Promise<T>, text: (response: T) => string): Promise<void> {
    return withUseCases(async (useCases: UseCases) => {
      const response = await command(useCases.get(JobAdmin));
      const isJson = program.opts<{ json?: true }>().json;
      print(`${isJson ? terminalJson(response) : terminalText(text(response))}\n`);
    });
  }

  program
    .command('list')
    .description('list the jobs that were added last, the newest first')
    .option('--kind <kind>', 'only jobs of this kind, such as orders.expire')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
    .option('--limit <n>', 'how many', parseLimit, JOBS_SHOWN)
    .action((filter: JobFilter) =>
      run(async (jobs) => (await jobs.list(filter)).map(jobResponse), jobListText),
    );

  program
    .command('show')
    .description('show a job, with its payload')
    .addArgument(id())
    .action((job: bigint) => run(async (jobs) => jobResponse(await jobs.find(job)), jobText));

  program
    .command('retry')
    .description('run a job now that is delayed, has failed or was cancelled')
    .addArgument(id())
    .action((job: bigint) => run(async (jobs) => jobResponse(await jobs.retry(job)), jobText));

  program
    .command('cancel')
    .description('do not run a job any more')
    .addArgument(id())
    .action((job: bigint) => run(async (jobs) => jobResponse(await jobs.cancel(job)), jobText));

  return program;
}

function id(): Argument {
  return new Argument('<id>', 'the id of the job').argParser((text: string) => {
    const parsed = parseInt64(text);
    if (parsed === null || parsed < 1n) throw new InvalidArgumentError('It must be the id of a job.');
    return parsed;
  });
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}
