import type { ListedKey } from '../application/list-keys.use-case.js';

/** A table is no wider than this, so that it fits a terminal that is not the narrowest. */
const WIDEST = 100;
const GAP = '  ';
const ELLIPSIS = '…';
/** A name or an account is not shortened below this. */
const NARROWEST = 8;

/** What takes two columns of a terminal: CJK, Hangul, full-width forms and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** What takes none: combining marks and invisible characters. */
const WIDTHLESS = /[\p{M}\p{Cf}]/u;

interface Column {
  readonly title: string;
  readonly of: (listed: ListedKey) => string;
  readonly canShrink?: true;
}

/** A table of keys for people, at most 100 columns wide. Names and accounts are shortened to fit. */
export function keyTable(keys: readonly ListedKey[], nowMs: number): string {
  const columns = keys.some(({ usage }) => usage !== null) ? usageColumns(nowMs) : dateColumns(nowMs);
  const rows = [columns.map(({ title }) => title), ...keys.map((key) => columns.map(({ of }) => of(key)))];
  const widths = fitting(columns, rows);
  return rows
    .map((row) =>
      row
        .map((cell, at) => fitted(cell, widths[at]!))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

const FIRST_COLUMNS: readonly Column[] = [
  { title: 'ID', of: ({ key }) => key.id },
  { title: 'NAME', of: ({ key }) => key.name, canShrink: true },
  // A key without an account of a customer has one named by its id.
  {
    title: 'ACCOUNT',
    of: ({ key }) => (key.account === key.id ? '(its own)' : key.account),
    canShrink: true,
  },
  { title: 'PLAN', of: ({ key }) => key.plan.name },
];

function dateColumns(nowMs: number): readonly Column[] {
  return [
    ...FIRST_COLUMNS,
    { title: 'CREATED', of: ({ key }) => dateOf(key.createdAtMs) },
    { title: 'EXPIRES', of: ({ key }) => dateOf(key.expiresAtMs) },
    statusColumn(nowMs),
  ];
}

function usageColumns(nowMs: number): readonly Column[] {
  return [
    ...FIRST_COLUMNS,
    { title: 'TODAY', of: ({ key, usage }) => `${usage!.day.used}/${key.plan.perDay}` },
    { title: 'BANNED UNTIL', of: ({ usage }) => timeOf(usage!.ban?.untilMs) },
    statusColumn(nowMs),
  ];
}

function statusColumn(nowMs: number): Column {
  return { title: 'STATUS', of: ({ key }) => key.statusAt(nowMs) };
}

/** The widths of the columns: those that can shrink do so, the wider one first, until all fit. */
function fitting(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  const widths = columns.map((_, at) => rows.reduce((widest, row) => Math.max(widest, widthOf(row[at]!)), 0));
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > WIDEST) {
    let widest: number | null = null;
    for (const [at, { canShrink }] of columns.entries()) {
      if (canShrink && widths[at]! > NARROWEST && (widest === null || widths[at]! > widths[widest]!))
        widest = at;
    }
    if (widest === null) break;
    widths[widest]!--;
  }
  return widths;
}

function fitted(cell: string, width: number): string {
  if (widthOf(cell) <= width) return cell + ' '.repeat(width - widthOf(cell));
  let text = '';
  let taken = 0;
  for (const character of cell) {
    if (taken + widthOf(character) > width - 1) break;
    text += character;
    taken += widthOf(character);
  }
  return text + ELLIPSIS + ' '.repeat(width - 1 - taken);
}

/** The columns of a terminal that the text takes. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : WIDTHLESS.test(character) ? 0 : 1;
  return width;
}

function dateOf(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().slice(0, 10);
}

/** Day and time: `03-14 12:05Z`. */
function timeOf(ms: number | undefined): string {
  return ms === undefined ? '-' : `${new Date(ms).toISOString().slice(5, 16).replace('T', ' ')}Z`;
}
