import type { Dialect } from '../../platform/database/sql-session.js';

/**
 * A subquery with the elements of a parameter that holds a JSON array of texts. One parameter holds any number of them,
 * so that the statement is prepared only once.
 */
export function elementsOf(parameter: string, dialect: Dialect): string {
  return dialect === 'postgres'
    ? `SELECT json_array_elements_text(CAST(:${parameter} AS json))`
    : `SELECT value FROM json_each(:${parameter})`;
}
