import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { markdownTable } from 'markdown-table';
import { CONNECTIONS } from './load.js';
import type { Options } from './options.js';
import { isPinned } from './servers.js';

/** What was measured, ready to be shown: a table a scenario. */
export interface Result {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Decimals by the title of a column. */
  readonly columns: Readonly<Record<string, number>>;
  readonly rows: readonly Row[];
  /** What was left out or missed, and why. */
  readonly notes: readonly string[];
}

export interface Row {
  readonly label: string;
  /** One a column; null where there is nothing to say. */
  readonly cells: readonly (number | null)[];
  readonly verdict?: string | null;
}

const PAGE = 'docs/performance.md';
const BEGIN = '<!-- npm run bench: begin -->';
const END = '<!-- npm run bench: end -->';

/** In Markdown, for the terminal and for the page. */
export function section({ name, title, about, columns, rows, notes }: Result): string {
  const digits = Object.values(columns);
  const cell = (value: number | null, index: number) =>
    value?.toLocaleString('en', {
      minimumFractionDigits: digits[index]!,
      maximumFractionDigits: digits[index]!,
    }) ?? '–';
  const lines = rows.map(({ label, cells, verdict }) => [
    label + (verdict ? ` (${verdict})` : ''),
    ...cells.map(cell),
  ]);
  const align = ['l', ...digits.map(() => 'r')];
  const table = markdownTable([['', ...Object.keys(columns)], ...lines], { align });
  return [`### ${title}`, `\`${name}\`: ${about}`, table, ...notes].join('\n\n');
}

/** Whether a budget holds. */
export function verdict(value: number | null, budget: number | undefined, unit: string): string | null {
  if (budget === undefined || value === null) return null;
  return `${value <= budget ? 'within' : 'over'} ${budget.toLocaleString('en')}${unit}`;
}

/** Puts the results between the markers of the page. */
export function writeReport(results: readonly Result[], { starts, rounds, seconds, quick }: Options): void {
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} × ${cpus()[0]!.model.trim()}, ${memoryGb} GB, ${process.platform}, Node ${process.version}`;
  const facts =
    `Measured on ${new Date().toISOString().slice(0, 10)}${quick ? ' in a quick run, whose numbers are not for quoting' : ''}: ` +
    `${machine}. wrk, ${CONNECTIONS} keep-alive connections; ` +
    `${isPinned ? 'servers on one core, load on another' : 'nothing pinned to a core'}; medians of ${starts * rounds} rounds ` +
    `of ${seconds} s over ${starts} starts where nothing else is said; × baseline is the median of the ratios round by round.`;
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = [page.split(BEGIN)[0]!, page.split(END)[1]];
  if (rest === undefined) throw new Error(`${PAGE} lacks the markers ${BEGIN} and ${END}.`);
  writeFileSync(PAGE, [`${before}${BEGIN}`, facts, ...results.map(section), `${END}${rest}`].join('\n\n'));
}
