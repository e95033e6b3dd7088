import type { Bench } from './measuring.js';
import { type ProgramName, PROGRAMS } from './programs.js';
import { median, type Row, type ScenarioResult } from './result.js';
import { ServerProcess } from './server-process.js';

export const START_UP = {
  name: 'start-up',
  title: 'Starting',
  about:
    'From the start of the process to its first answer with an animal in it, with 100,000 animals in the database.',
  programs: ['service', 'node-http', 'fastify', 'tutorial-nest'] as readonly ProgramName[],
};

const STARTS = { quick: 2, full: 7 };
/** One second. */
const BUDGET_MS = 1_000;

export async function measureStartUp(
  bench: Bench,
  programs: readonly ProgramName[],
): Promise<ScenarioResult> {
  const { dataSets, cores, cleanup, progress, options } = bench;
  const data = await dataSets.of({ animals: 100_000, keys: 100 });
  const starts = options.quick ? STARTS.quick : STARTS.full;
  const rows: Row[] = [];
  for (const name of programs) {
    const program = PROGRAMS[name];
    progress.next(`${START_UP.name}: ${program.title} …`);
    const databaseUrl = `sqlite:${dataSets.copy(data, `start-up-${name}`)}`;
    const firstAnswersMs: number[] = [];
    const residentMb: number[] = [];
    for (let i = 0; i < starts; i++) {
      const core = cores?.servers[0];
      const server = await ServerProcess.start({ program, databaseUrl, core, key: data.key, cleanup });
      firstAnswersMs.push(server.firstAnswerMs);
      residentMb.push(server.usage().residentMb);
      await server.stop();
    }
    const cells = [median(firstAnswersMs), Math.max(...firstAnswersMs), median(residentMb)];
    rows.push({ label: program.title, cells, budget: name === 'service' ? BUDGET_MS : null });
  }
  const { name, title, about } = START_UP;
  const columns = [
    { title: 'first answer ms', digits: 0 },
    { title: 'slowest ms', digits: 0 },
    { title: 'memory MB', digits: 0 },
  ];
  return { name, title, about, columns, rows, notes: [] };
}
