/**
 * The name that `text` misspells: by one edit, or by two where it is longer. `PGPORT` and `HOME` mean something else
 * than `PORT` and `HOST`.
 */
export function misspeltName(text: string, names: readonly string[]): string | null {
  const sent = text.toUpperCase();
  return names.find((name) => isWithin(name.length < 8 ? 1 : 2, sent, name)) ?? null;
}

/**
 * Whether so many insertions, deletions, replacements and swaps of neighbours (optimal string alignment) make `b` of
 * `a`. At the start every variable meets every setting, so it ends as soon as there are more.
 */
function isWithin(edits: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped);
    }
    // A swap counts from the row before the last.
    if (Math.min(...row, ...rows[i - 1]!) > edits) return false;
  }
  return rows[a.length]![b.length]! <= edits;
}
