/** What was measured, ready to be shown: a table a scenario. */
export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

export interface Column {
  readonly title: string;
  readonly digits: number;
}

export interface Row {
  readonly label: string;
  /** One a column; null where there is nothing to say. */
  readonly cells: readonly (number | null)[];
  /** What the value in the column `budgetOf` may be at most; null without a budget. */
  readonly budget: number | null;
}

export const CPU_COLUMN = 'CPU µs';
export const RATIO_COLUMN = '× baseline';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
