/**
 * The name that `text` misspells: by one edit, or by two where it is longer. `PGPORT` and `HOME` mean something else
 * than `PORT` and `HOST`.
 */
export function misspeltName(text: string, names: readonly string[]): string | null {
  return names.find((name) => editsBetween(text.toUpperCase(), name) <= (name.length < 8 ? 1 : 2)) ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, edits) => edits)];
  for (let i = 1; i <= a.length; i++) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped);
    }
  }
  return rows[a.length]![b.length]!;
}
