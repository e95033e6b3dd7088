import type { Dialect } from './database.js';

/** `select` by dialect, so that within a transaction nobody else changes its rows until that one ends. */
export function lockingSelect(select: string): Readonly<Record<Dialect, string>> {
  // SQLite has no row locks and needs none: its writers take turns.
  return { sqlite: select, postgres: `${select} FOR UPDATE` };
}
