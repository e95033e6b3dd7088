import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.js';
import { RATIO_COLUMN, type Row, type ScenarioResult } from './result.js';

const DOCS = join(import.meta.dirname, '../../docs');
const PAGE = join(DOCS, 'performance.md');
const CHART = join(DOCS, 'performance.svg');
const BEGIN = '<!-- npm run bench: begin -->';
const END = '<!-- npm run bench: end -->';

export interface RunFacts {
  readonly machine: string;
  readonly generator: string;
  readonly date: string;
  readonly starts: number;
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly pinned: boolean;
}

/** A table for the terminal. */
export function terminalTable(result: ScenarioResult): string {
  const header = ['', ...result.columns.map(({ title }) => title), ''];
  const lines = result.rows.map((row) => [row.label, ...cellTexts(result, row), verdict(result, row) ?? '']);
  const widths = header.map((title, index) =>
    Math.max(title.length, ...lines.map((line) => line[index]!.length)),
  );
  const print = (line: readonly string[]) =>
    line
      .map((text, index) => (index === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[index]!)))
      .join('  ')
      .trimEnd();
  const notes = result.notes.map((note) => `  ${note}`);
  return [
    `\n${result.title} (${result.name})`,
    result.about,
    '',
    print(header),
    ...lines.map(print),
    ...notes,
    '',
  ].join('\n');
}

/** Puts the results between the markers of docs/performance.md, and the chart beside it. */
export function writeReport(results: readonly ScenarioResult[], facts: RunFacts): void {
  const between = `${BEGIN}\n\n${markdown(results, facts)}\n\n${END}`;
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : `# Performance\n\n${BEGIN}\n${END}\n`;
  const [before, rest] = [page.split(BEGIN)[0]!, page.split(END)[1]];
  if (rest === undefined) throw new Error(`${PAGE} lacks the markers ${BEGIN} and ${END}.`);
  writeFileSync(PAGE, `${before}${between}${rest}`);
  writeFileSync(CHART, chart(results));
}

function markdown(results: readonly ScenarioResult[], facts: RunFacts): string {
  const { machine, generator, date, starts, rounds, secondsPerRound, pinned } = facts;
  const where = pinned ? 'servers on one core, load on another' : 'nothing pinned to a core';
  const sections = [
    `Measured on ${date}: ${machine}. ${generator}, 64 keep-alive connections; ${where}; medians of ${rounds} rounds of ${secondsPerRound} s over ${starts} starts where nothing else is said; × baseline is the median of the ratios round by round.`,
    '![CPU time per request](performance.svg)',
    ...results.map(section),
  ];
  return sections.join('\n\n');
}

function section(result: ScenarioResult): string {
  const titles = ['', ...result.columns.map(({ title }) => title)];
  const lines = result.rows.map((row) => {
    const said = verdict(result, row);
    return `| ${row.label}${said ? ` (${said})` : ''} | ${cellTexts(result, row).join(' | ')} |`;
  });
  const table = [`| ${titles.join(' | ')} |`, `| --- |${' ---: |'.repeat(titles.length - 1)}`, ...lines];
  const notes = result.notes.map((note) => `\n\n${note}`);
  return `### ${result.title}\n\n${result.about}\n\n${table.join('\n')}${notes.join('')}`;
}

function cellTexts({ columns }: ScenarioResult, { cells }: Row): string[] {
  return cells.map((value, index) => {
    if (value === null) return '–';
    const { digits } = columns[index]!;
    return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  });
}

/** Whether the budget is kept: of the ratio where there is one, otherwise of the first column. */
function verdict({ columns }: ScenarioResult, { cells, budget }: Row): string | null {
  if (budget === null) return null;
  const ratioAt = columns.findIndex(({ title }) => title === RATIO_COLUMN);
  const value = cells[Math.max(ratioAt, 0)];
  if (value === null || value === undefined) return null;
  const text = ratioAt === -1 ? budget.toLocaleString('en-US') : `${budget}×`;
  return value <= budget ? `within ${text}` : `over ${text}`;
}
