import { JobsModule, jobsTables } from '@animal-store/jobs';
import { runProgram } from '../run-program.js';
import { type Surroundings as CommandSurroundings, useCasesOf } from '../use-cases.js';
import { jobsProgram, type JobsProgramParts } from './jobs.program.js';

export type Surroundings = CommandSurroundings & Omit<JobsProgramParts, 'withUseCases'>;

/**
 * Runs the `jobs` command line once and returns its exit code: 0 for success; 1 for failure (no such job, one that
 * cannot be changed, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export function runJobs(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const jobs = { program: 'jobs', module: JobsModule, tables: jobsTables, table: 'jobs' };
  const withUseCases = useCasesOf(jobs, surroundings);
  return runProgram(jobsProgram({ ...surroundings, withUseCases }), args, surroundings.complain);
}
