import { terminalText } from './run-program.js';

/** A table is no wider than this, so that it fits a terminal that is not the narrowest. */
const WIDEST = 100;
const GAP = '  ';
const ELLIPSIS = '…';
/** What can be shortened is not shortened below this. */
const NARROWEST = 8;

/** Most texts, whose characters need not be checked one by one. */
const NARROW = /^[ -~]*$/;
/** What takes two columns of a terminal: CJK, Hangul, full-width forms and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** What has no width: combining marks and invisible characters. */
const WIDTHLESS = /[\p{M}\p{Cf}]/u;

export interface Column<Item> {
  readonly title: string;
  readonly of: (item: Item) => string;
  readonly canShrink?: true;
}

/** A table for people, at most 100 columns wide. Columns that can shrink are shortened to fit. */
export function textTable<Item>(columns: readonly Column<Item>[], items: readonly Item[]): string {
  return new TextTable(columns).add(items);
}

/** Such a table that grows. A column becomes wider where a longer text comes. */
export class TextTable<Item> {
  private widths: readonly number[] | null = null;

  constructor(private readonly columns: readonly Column<Item>[]) {}

  /** The lines of further items, below the titles if they are the first. */
  add(items: readonly Item[]): string {
    const rows = items.map((item) => this.columns.map(({ of }) => cellText(of(item))));
    if (this.widths === null) rows.unshift(this.columns.map(({ title }) => title));
    const widths = fitting(this.columns, rows, this.widths ?? []);
    this.widths = widths;
    return rows
      .map((row) =>
        row
          .map((cell, at) => fitted(cell, widths[at]!))
          .join(GAP)
          .trimEnd(),
      )
      .join('\n');
  }
}

/** Day and time of an instant: `03-14 12:05Z`. */
export function timeText(instant: string): string {
  return `${instant.slice(5, 16).replace('T', ' ')}Z`;
}

function cellText(text: string): string {
  return NARROW.test(text) ? text : terminalText(text);
}

/** The widths of the columns: those that can shrink do so, the wider one first, until all fit. */
function fitting(
  columns: readonly Pick<Column<never>, 'canShrink'>[],
  rows: readonly (readonly string[])[],
  before: readonly number[],
): number[] {
  const widths = columns.map((_, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at]!)), before[at] ?? 0),
  );
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  const shrinkable = [...widths.keys()].filter((at) => columns[at]!.canShrink);
  while (total() > WIDEST) {
    const [widest] = shrinkable.toSorted((a, b) => widths[b]! - widths[a]!);
    if (widest === undefined || widths[widest]! <= NARROWEST) break;
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
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : WIDTHLESS.test(character) ? 0 : 1;
  return width;
}
