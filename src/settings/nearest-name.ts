/**
 * The name that `text` is most likely meant to be.
 * @param max how many edits a name may be away
 */
export function nearestName(
  text: string,
  names: readonly string[],
  max: (name: string) => number = () => Math.floor(text.length / 3),
): string | null {
  let nearest: string | null = null;
  let leastEdits = Infinity;
  for (const name of names) {
    if (Math.abs(name.length - text.length) > max(name)) continue;
    const edits = editsBetween(text.toUpperCase(), name.toUpperCase(), max(name));
    if (edits < leastEdits) [nearest, leastEdits] = [name, edits];
  }
  return nearest;
}

/** The edits of a misspelling, and no more: `PGPORT` and `HOME` mean something else than `PORT` and `HOST`. */
export function fewEdits(name: string): number {
  return name.length < 8 ? 1 : 2;
}

/** Insertions, deletions, replacements and swaps (optimal string alignment); Infinity for more than `most`. */
function editsBetween(a: string, b: string, max: number): number {
  const rows: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= b.length; j++) {
      if (i === 0) row[j] = j;
      else row[j] = fewestEdits(a, b, i, j, rows);
    }
    // No later row has fewer. One that a swap of `most` edits skips has no more than that either.
    if (Math.min(...row) > max) return Infinity;
  }
  const edits = rows[a.length]![b.length]!;
  return edits <= max ? edits : Infinity;
}

function fewestEdits(a: string, b: string, i: number, j: number, rows: readonly number[][]): number {
  const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
  const fewest = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced);
  const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return isSwap ? Math.min(fewest, rows[i - 2]![j - 2]! + 1) : fewest;
}
